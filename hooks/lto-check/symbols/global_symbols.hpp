// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/symbols/resolution.hpp"
#include "hooks/lto-check/symbols/symbols.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace hostpin::lto {

/// The global symbols of a link so far: defined, common, or undefined. Only this class knows --wrap and
/// --defsym.
class GlobalSymbols {
public:
  explicit GlobalSymbols(const Resolving& how);

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
  std::string renamed(std::string_view name, bool in_bytecode) const;

  Wrapping wrapping_;
  Names wraps_;
  std::unordered_map<std::string, State, NameHash, std::equal_to<>> symbols_;
};

} // namespace hostpin::lto
