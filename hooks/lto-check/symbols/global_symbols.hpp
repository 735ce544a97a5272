// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/symbols/memory_bound.hpp"
#include "hooks/lto-check/symbols/resolution.hpp"
#include "hooks/lto-check/symbols/symbols.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace hostpin::lto {

/// The global symbols of a link so far: defined, common, or undefined. Only this class knows --wrap and
/// --defsym.
class GlobalSymbols {
public:
  /// Symbols that do not fit are ignored. `bound` must outlive this.
  GlobalSymbols(const Resolving& how, MemoryBound& bound);

  /// Adds a symbol of an input. The order of the symbols in one input does not matter.
  void take(const Symbol& symbol);
  /// Adds a reference to a symbol, which --wrap may redirect.
  void want(std::string_view name, bool in_bytecode);
  /// Adds a symbol that an option asks for; --wrap does not apply.
  void seek(std::string_view name);

  bool is_wanted(std::string_view name) const { return is(name, State::undefined); }
  bool is_common(std::string_view name) const { return is(name, State::common); }
  Names undefined() const;

private:
  enum class State { undefined, common, defined };

  bool is(std::string_view name, State state) const;
  State& state_of(std::string_view name); ///< of a new symbol: undefined
  /// What --wrap makes of a reference.
  std::optional<std::string> renamed(std::string_view name, bool in_bytecode) const;

  Wrapping wrapping_;
  Names wraps_;
  MemoryBound& bound_;
  State ignored_ = State::undefined;
  std::unordered_map<std::string, State, NameHash, std::equal_to<>> symbols_;
};

} // namespace hostpin::lto
