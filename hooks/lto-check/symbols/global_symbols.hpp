// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/symbols/allowance.hpp"
#include "hooks/lto-check/symbols/hashes.hpp"
#include "hooks/lto-check/symbols/resolution.hpp"
#include "hooks/lto-check/symbols/symbols.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace hostpin {

/// The global symbols of a link so far: defined, common, or undefined. Only this class knows --wrap and
/// --defsym.
class GlobalSymbols {
public:
  /// The allowance must outlive it.
  GlobalSymbols(const Resolving& how, Allowance& allowance);

  /// Adds a symbol of an input. The order of the symbols in one input does not matter.
  void take(const Symbol& symbol);
  /// Adds a reference to a symbol, which --wrap may redirect.
  void want(std::string_view name, bool in_bytecode);
  /// Adds a symbol that an option asks for; --wrap does not apply.
  void seek(std::string_view name);

  /// By the symbol's hash.
  bool is_wanted(std::uint64_t hash) const { return undefined_.contains(hash); }
  bool is_common(std::uint64_t hash) const { return common_.contains(hash); }

  /// The undefined symbols, which remain charged to the allowance; the rest is given back. Call it once.
  Hashes end();

private:
  std::string renamed(std::string_view name, bool in_bytecode) const;

  /// Looks up string_views without a copy.
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return symbol_hash(name); }
  };

  Wrapping wrapping_;
  Allowance& allowance_;
  std::unordered_set<std::string, NameHash, std::equal_to<>> wraps_;
  Hashes defined_, common_, undefined_;
};

} // namespace hostpin
