// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/object_nodes.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace hostpin::probe {

namespace {

std::uint32_t number(std::string_view bytes, bool little) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8U | static_cast<unsigned char>(bytes[little ? 3 - i : i]);
  return value;
}

} // namespace

std::size_t ObjectNodes::add_undefined(std::string name) {
  nodes_.push_back({{std::move(name)}, {}});
  return nodes_.size() - 1;
}

std::size_t ObjectNodes::add_symbol(std::string name, std::uint64_t section, std::uint64_t begin,
                                    std::uint64_t size) {
  const auto [place, fresh] = by_place_.try_emplace({section, begin}, nodes_.size());
  if (fresh) {
    nodes_.emplace_back();
    symbols_[section].push_back({begin, begin + size, place->second});
  }
  nodes_[place->second].names.push_back(std::move(name));
  return place->second;
}

void ObjectNodes::end_symbols() {
  by_place_.clear();
  sort(symbols_);
}

std::size_t ObjectNodes::part(std::uint64_t section, std::uint64_t begin) {
  const auto [found, fresh] = parts_[section].try_emplace(begin, nodes_.size());
  if (fresh)
    nodes_.emplace_back();
  return found->second;
}

void ObjectNodes::add_table(std::uint64_t section, std::uint64_t begin, std::size_t function) {
  tables_[section].push_back({begin, ~std::uint64_t{0}, function});
}

void ObjectNodes::end_tables() {
  sort(tables_);
  for (auto& [section, list] : tables_)
    for (std::size_t i = 0; i + 1 < list.size(); ++i)
      list[i].end = list[i + 1].begin;
}

std::size_t ObjectNodes::at(std::uint64_t section, std::uint64_t offset) {
  if (const auto node = covering(symbols_, section, offset))
    return *node;
  if (const auto node = covering(tables_, section, offset))
    return *node;
  const auto& pieces = parts_[section];
  const auto after = pieces.upper_bound(offset);
  return after == pieces.begin() ? part(section, 0) : std::prev(after)->second;
}

bool ObjectNodes::is_in_symbol(std::uint64_t section, std::uint64_t offset) const {
  return covering(symbols_, section, offset).has_value();
}

std::optional<std::size_t> ObjectNodes::covering(const Extents& all, std::uint64_t section,
                                                 std::uint64_t offset) {
  const auto extents = all.find(section);
  if (extents == all.end())
    return std::nullopt;
  const auto after =
      std::upper_bound(extents->second.begin(), extents->second.end(), offset,
                       [](std::uint64_t at, const Extent& extent) { return at < extent.begin; });
  if (after == extents->second.begin() || offset >= std::prev(after)->end)
    return std::nullopt;
  return std::prev(after)->node;
}

void ObjectNodes::sort(Extents& all) {
  for (auto& [section, list] : all)
    std::sort(list.begin(), list.end(), [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
}

std::vector<UnwindEntry> unwind_entries(std::string_view content, bool little,
                                        std::span<const UnwindRelocation> relocations) {
  std::vector<UnwindRelocation> sorted(relocations.begin(), relocations.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const UnwindRelocation& a, const UnwindRelocation& b) { return a.at < b.at; });
  std::map<std::uint64_t, std::vector<std::size_t>> personalities; // by the common entry's offset
  std::vector<UnwindEntry> entries;
  // A record is its length, then 0 or the distance back to its common entry (CIE), then fields. 64-bit
  // lengths (0xffffffff) do not occur in objects.
  for (std::uint64_t at = 0; at + 8 <= content.size();) {
    const std::uint64_t length = number(content.substr(at, 4), little);
    const std::uint64_t end = at + 4 + length;
    if (length < 4 || length == 0xffffffff || end > content.size())
      break;
    const std::uint64_t back = number(content.substr(at + 4, 4), little);
    const auto first =
        std::lower_bound(sorted.begin(), sorted.end(), at + 8,
                         [](const UnwindRelocation& entry, std::uint64_t place) { return entry.at < place; });
    const auto last =
        std::lower_bound(first, sorted.end(), end,
                         [](const UnwindRelocation& entry, std::uint64_t place) { return entry.at < place; });
    if (back == 0) {
      for (auto entry = first; entry != last; ++entry)
        personalities[at].push_back(entry->target);
    } else if (first != last) {
      UnwindEntry entry{first->section, first->offset, {}, false, 0, 0};
      if (const auto common = personalities.find(at + 4 - back); common != personalities.end())
        entry.personality = common->second;
      if (std::next(first) != last) {
        entry.has_table = true;
        entry.table_section = std::next(first)->section;
        entry.table_offset = std::next(first)->offset;
      }
      entries.push_back(std::move(entry));
    }
    at = end;
  }
  return entries;
}

} // namespace hostpin::probe
