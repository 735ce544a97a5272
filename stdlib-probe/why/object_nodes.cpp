// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/object_nodes.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace hostpin {

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

} // namespace hostpin
