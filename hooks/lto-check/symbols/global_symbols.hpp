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

/// The global symbols of a link so far: which are defined, which are only common, and which are wanted and
/// nothing has yet. --wrap and --defsym are known here and nowhere else.
class GlobalSymbols {
public:
  /// The allowance must outlive it.
  GlobalSymbols(const Resolving& how, Allowance& allowance);

  /// What one input says of a symbol. In whatever order those of one input come, what is known afterwards is
  /// the same.
  void take(const Symbol& symbol);
  /// A reference to a symbol; --wrap may make it one to another.
  void want(std::string_view name, bool in_bytecode);
  /// A symbol that an option asks for, by its own name.
  void seek(std::string_view name);

  /// By the symbol's hash.
  bool is_wanted(std::uint64_t hash) const { return undefined_.contains(hash); }
  bool is_common(std::uint64_t hash) const { return common_.contains(hash); }

  /// What is still wanted, which stays taken from the allowance; the rest is given back. To be called once.
  Hashes end();

private:
  std::string renamed(std::string_view name, bool in_bytecode) const;

  /// So that a name is looked up without being copied.
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
