// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/link/files.hpp"
#include "hooks/lto-check/symbols/archive.hpp"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace hostpin {

/// The members of archives that a link takes because symbols of theirs are wanted.
struct Resolution {
  /// Path of the archive and name of its member; an object behind --start-lib counts as a member without a
  /// name.
  std::set<std::pair<std::string, std::string>> pulled;
  /// Path and where the member's content begins, which tells members of one name apart. Those of thin
  /// archives, which are files of their own, are not here.
  std::set<std::pair<std::string, std::uint64_t>> places;
  std::set<std::string, std::less<>> missing; ///< what is wanted and nothing has
  bool complete = true; ///< false: some input does not tell its symbols, so `pulled` may be wrong
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
};

/// Resolves symbols as a linker does, from symbol tables alone. `wanted`: symbols that options ask for.
Resolution resolve(const std::vector<LinkFile>& files, const std::vector<std::string>& wanted,
                   const Resolving& how);

/// Those members of an archive that define one of the symbols, whatever its index says of them.
Resolution members_that_define(const std::string& archive, const std::set<std::string, std::less<>>& symbols);

/// Whether the file is an archive whose index leaves out what a member defines; false when it cannot be read.
bool lacks_symbols(const std::string& archive);

/// Whether the file is an archive with members and without an index, even an empty one; false when it cannot
/// be read.
bool has_no_index(const std::string& archive);

} // namespace hostpin
