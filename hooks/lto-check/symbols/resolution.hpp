// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/link/files.hpp"
#include "hooks/lto-check/symbols/archive.hpp"
#include "hooks/lto-check/symbols/hashes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// The members of archives that a link takes because symbols of theirs are wanted. Kept as hashes, for there
/// can be millions.
class Resolution {
public:
  /// By where the member's content begins in its archive, which tells members of one name apart.
  bool takes(const std::string& path, std::uint64_t place) const;
  /// By name, for members that are files of their own. An object behind --start-lib counts as a member
  /// without a name.
  bool takes(const std::string& path, std::string_view name) const;
  std::size_t taken() const { return taken_.size(); }

  void add(const std::string& path, const SymbolArchive& archive, std::size_t member);
  void add(const std::string& path, std::string_view name);

  Hashes missing;           ///< what is wanted and nothing has
  bool complete = true;     ///< false: some input does not tell its symbols, so what is taken may be wrong
  bool exhausted = false;   ///< the allowance was spent; nothing of this counts
  std::size_t readings = 0; ///< how many times symbols of an object or member were read

private:
  Hashes taken_;
};

/// How a linker goes through its inputs.
enum class Order {
  in_turn,  ///< an archive gives what is wanted where it stands: GNU ld, gold
  together, ///< archives give what is wanted anywhere: lld, mold
};

/// What a linker does when an archive has a symbol of which there are only common ones so far.
enum class Commons {
  kept,     ///< nothing: gold, lld from 15 on
  replaced, ///< takes a member that defines it for good: mold
  read, ///< that too, and looks into each member that has it to see, so that its plugin takes bytecode even
        ///< where that is common itself: GNU ld, lld up to 14
};

/// What --wrap=F makes of references to F.
enum class Wrapping {
  everywhere,   ///< references to __wrap_F, and of those to __real_F ones to F: GNU ld, gold
  machine_code, ///< the same, but not in bytecode: mold
  besides,      ///< nothing; if there is an F, __wrap_F is wanted as well: lld
};

/// How a linker resolves symbols.
struct Resolving {
  Order order = Order::in_turn;
  Index index = Index::own;
  Commons commons = Commons::kept;
  Wrapping wrapping = Wrapping::everywhere;
  std::vector<std::string> wraps{};   ///< symbols that --wrap names
  std::vector<std::string> defined{}; ///< symbols that no input need define
  bool scripts = true;                ///< what scripts ask for is wanted: all but mold
};

/// Resolves symbols as a linker does, from symbol tables alone; reads those of each input twice at most.
/// `wanted`: symbols that options ask for. What the answer keeps stays taken from the allowance: 16 bytes a
/// member and a symbol that is missing.
Resolution resolve(const std::vector<LinkFile>& files, const std::vector<std::string>& wanted,
                   const Resolving& how, Allowance& allowance);

/// Those members of an archive that define one of the symbols, whatever its index says of them.
Resolution members_that_define(const std::string& archive, const Hashes& symbols, Allowance& allowance);

/// Whether the file is an archive whose index leaves out what a member defines; false when it cannot be read,
/// nothing when it has too many members.
std::optional<bool> lacks_symbols(const std::string& archive, Allowance& allowance);

/// Whether the file is an archive with members and without an index, even an empty one; false when it cannot
/// be read.
bool has_no_index(const std::string& archive);

} // namespace hostpin
