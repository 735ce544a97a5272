// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/share.hpp"

#include "toolchains/base/checksum.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <string_view>
#include <tuple>
#include <utility>

namespace hostpin {

namespace {

constexpr std::uint64_t large_size = std::uint64_t{1} << 20U;
constexpr std::uint64_t cost_of_a_file = std::uint64_t{32} << 10U; ///< in bytes that are read meanwhile

/// Another name of a file has no content to be looked at.
std::uint64_t content_of(const WalkEntry& entry) {
  return entry.kind == WalkEntry::Kind::file && !entry.hard_link_of ? entry.size : 0;
}

bool is_large(const WalkEntry& entry) {
  return content_of(entry) >= large_size;
}

std::uint64_t hash_of(const WalkEntry& entry) {
  return checksum(entry.file);
}

struct Large {
  std::uint64_t size, hash;

  bool operator<(const Large& other) const {
    return std::tie(other.size, hash) < std::tie(size, other.hash); // the largest first
  }
};

/// Paths that overlap name a file twice: it has one hash, goes to one shard, and is looked at as often.
std::vector<Large> united(std::vector<Large> all) {
  std::sort(all.begin(), all.end(), [](const Large& a, const Large& b) { return a.hash < b.hash; });
  std::vector<Large> result;
  for (const Large& one : all)
    if (!result.empty() && result.back().hash == one.hash)
      result.back().size += one.size;
    else
      result.push_back(one);
  return result;
}

} // namespace

void TreePrint::add(const WalkEntry& entry) {
  std::string text;
  for (const std::string_view part :
       {std::string_view(entry.file), std::string_view(entry.link_target), std::string_view(entry.reason),
        entry.hard_link_of ? std::string_view(*entry.hard_link_of) : std::string_view()})
    text.append(std::to_string(part.size())).append(1, ':').append(part);
  for (const auto number :
       {static_cast<std::uint64_t>(entry.kind), entry.size, static_cast<std::uint64_t>(entry.modified)})
    text.append(std::to_string(number)).append(1, ' ');
  value_ = checksum(text, value_);
}

Share::Share(const std::vector<std::string>& roots, const std::string& below, ShardNumber number)
    : number_(number) {
  std::vector<std::uint64_t> work(number.of);
  std::vector<Large> all;
  Walk walk(roots, below);
  while (const auto entry = walk.next()) {
    ++entries_;
    planned_.add(*entry);
    if (is_large(*entry))
      all.push_back({entry->size, hash_of(*entry)});
    else
      work[hash_of(*entry) % number.of] += content_of(*entry) + cost_of_a_file;
  }
  all = united(std::move(all));
  std::sort(all.begin(), all.end());
  using Busy = std::pair<std::uint64_t, std::uint32_t>; // work and the shard that has it
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> least;
  for (std::uint32_t shard = 0; shard < number.of; ++shard)
    least.emplace(work[shard], shard);
  for (const Large& file : all) {
    const auto [busy, shard] = least.top();
    least.pop();
    least.emplace(busy + file.size + cost_of_a_file, shard);
    if (shard + 1 == number.index)
      large_.push_back(file.hash);
  }
  std::sort(large_.begin(), large_.end());
}

bool Share::take(const WalkEntry& entry) {
  met_.add(entry);
  return holds(entry);
}

bool Share::holds(const WalkEntry& entry) const {
  const std::uint64_t hash = hash_of(entry);
  return is_large(entry) ? std::binary_search(large_.begin(), large_.end(), hash)
                         : hash % number_.of + 1 == number_.index;
}

} // namespace hostpin
