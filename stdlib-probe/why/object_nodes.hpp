// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/why/object.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::probe {

/// The nodes of an object's graph, and the node of each byte of its sections. To be filled in
/// this order: symbols, then locations that something refers to, then exception tables.
class ObjectNodes {
public:
  /// Adds a node for a symbol that is not defined here.
  std::size_t add_undefined(std::string name);
  /// The node of the symbol that begins there; those that begin at the same offset share the first one's
  /// extent.
  std::size_t add_symbol(std::string name, std::uint64_t section, std::uint64_t begin, std::uint64_t size);
  /// To be called after the last symbol.
  void end_symbols();

  /// Splits the bytes without a symbol: those from there on get a separate node.
  std::size_t part(std::uint64_t section, std::uint64_t begin);

  /// The exception table of a function, which ends where the next one begins.
  void add_table(std::uint64_t section, std::uint64_t begin, std::size_t function);
  /// To be called after the last table.
  void end_tables();

  /// The node of a byte: of the symbol there, else of the function whose exception table it is in, else of
  /// the part of bytes without a symbol.
  std::size_t at(std::uint64_t section, std::uint64_t offset);
  /// True if the byte belongs to a symbol.
  bool is_in_symbol(std::uint64_t section, std::uint64_t offset) const;

  void add_reference(std::size_t node, const Reference& from) { nodes_[node].references.push_back(from); }
  std::span<const std::string> names(std::size_t node) const { return nodes_[node].names; }
  std::span<const Reference> references_to(std::size_t node) const { return nodes_[node].references; }

private:
  struct Node {
    std::vector<std::string> names;
    std::vector<Reference> references;
  };
  struct Extent {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::size_t node = 0;
  };
  using Extents = std::map<std::uint64_t, std::vector<Extent>>; ///< by section, ascending

  static std::optional<std::size_t> covering(const Extents& all, std::uint64_t section, std::uint64_t offset);
  static void sort(Extents& all);

  std::vector<Node> nodes_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> by_place_; ///< while symbols are added
  Extents symbols_;
  Extents tables_;
  /// Nodes of bytes without a symbol, by section and start offset.
  std::map<std::uint64_t, std::map<std::uint64_t, std::size_t>> parts_;
};

/// A relocation in a section of unwind tables.
struct UnwindRelocation {
  std::uint64_t at = 0;      ///< offset of the relocated field
  std::size_t target = 0;    ///< caller's number of the target
  std::uint64_t section = 0; ///< of the target; 0 if it is not in this object
  std::uint64_t offset = 0;  ///< in that section
};

/// What the unwind information of one function refers to besides its code.
struct UnwindEntry {
  std::uint64_t function_section = 0;
  std::uint64_t function_offset = 0;
  std::vector<std::size_t> personality; ///< targets of its common entry
  bool has_table = false;               ///< it has an exception table, at:
  std::uint64_t table_section = 0;
  std::uint64_t table_offset = 0;
};

/// Reads the `.eh_frame` of a relocatable object, whose fields are identified by its relocations. A damaged
/// tail is skipped.
std::vector<UnwindEntry> unwind_entries(std::string_view content, bool little,
                                        std::span<const UnwindRelocation> relocations);

} // namespace hostpin::probe
