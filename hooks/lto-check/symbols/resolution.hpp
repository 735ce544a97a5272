// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/link/files.hpp"
#include "hooks/lto-check/symbols/memory_bound.hpp"
#include "hooks/lto-check/symbols/symbols.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

namespace hostpin::lto {

/// The members of archives that a link takes because it needs their symbols.
struct Resolution {
  /// By the offset of the member's content in its archive, which distinguishes members of one name.
  bool takes(const std::string& path, std::uint64_t place) const;
  /// By name, for members that are separate files. An object after --start-lib is a member without a name.
  bool takes(const std::string& path, const std::string& name) const;
  std::size_t taken() const;

  std::map<std::string, std::unordered_set<std::uint64_t>> places; ///< by the path of the archive
  std::map<std::string, Names> names;                              ///< likewise
  Names missing;                                                   ///< symbols that nothing defines
  bool complete = true;     ///< false: the symbols of some input are not known, so the result may be wrong
  std::size_t readings = 0; ///< how many times symbols of an object or member were read
};

/// What a linker uses as an archive's index.
enum class Index {
  own,     ///< the index that `ar` wrote, if any: GNU ld, gold
  members, ///< the definitions of the members themselves: lld, mold
};

/// How a linker processes its inputs.
enum class Order {
  in_turn,  ///< an archive resolves symbols that were wanted before it: GNU ld, gold
  together, ///< archives resolve symbols that are wanted anywhere: lld, mold
};

/// What a linker does if an archive has a symbol that is only common so far.
enum class Commons {
  unchanged, ///< nothing: gold, lld from 15 on
  replaced,  ///< takes a member that really defines it: mold
  read, ///< that too, but reads each member that has it, so that the plugin takes bytecode even if that is
        ///< common itself: GNU ld, lld up to 14
};

/// What --wrap=F does to references to F.
enum class Wrapping {
  everywhere,   ///< F becomes __wrap_F, and __real_F becomes F: GNU ld, gold
  machine_code, ///< the same, but not in bytecode: mold
  besides,      ///< nothing; if there is an F, __wrap_F is wanted too: lld
};

/// How a linker resolves symbols.
struct Resolving {
  Order order = Order::in_turn;
  Index index = Index::own;
  Commons commons = Commons::unchanged;
  Wrapping wrapping = Wrapping::everywhere;
  std::vector<std::string> wraps{};   ///< symbols that --wrap names
  std::vector<std::string> defined{}; ///< symbols that options define
  bool scripts = true;                ///< symbols that scripts ask for are wanted: all but mold
};

/// Resolves symbols as a linker does, from symbol tables alone; reads each input's table twice at most.
/// `wanted`: symbols that options ask for. Wrong if symbols do not fit within the bound.
Resolution resolve(const std::vector<LinkFile>& files, const std::vector<std::string>& wanted,
                   const Resolving& how, MemoryBound& bound);

/// The members of an archive that define one of the symbols, whatever its index lists.
Resolution members_that_define(const std::string& archive, const Names& symbols, MemoryBound& bound);

/// Whether the file is an archive whose index omits a member's symbols; false if it cannot be read.
bool lacks_symbols(const std::string& archive);

/// Whether the file is an archive with members and without an index, even an empty one; false if it cannot
/// be read.
bool has_no_index(const std::string& archive);

} // namespace hostpin::lto
