// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/symbols/hashes.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace hostpin {

namespace {

constexpr std::size_t smallest = 8;

std::uint64_t even_and_not_zero(std::uint64_t hash) {
  hash &= ~std::uint64_t{1};
  return hash != 0 ? hash : 2;
}

/// The preferred slot of a hash; those of one shard share their first bits.
std::size_t home(std::uint64_t hash, std::size_t slots) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15U;
  return static_cast<std::size_t>((hash * odd >> 32U) * slots >> 32U);
}

} // namespace

std::uint64_t symbol_hash(std::string_view name) {
  return even_and_not_zero(std::hash<std::string_view>()(name));
}

std::uint64_t mixed(std::uint64_t one, std::uint64_t other) {
  std::uint64_t all = (one ^ (other + 0x9E3779B97F4A7C15U)) * 0xBF58476D1CE4E5B9U;
  all = (all ^ all >> 31U ^ one) * 0x94D049BB133111EBU;
  return even_and_not_zero(all ^ all >> 29U);
}

/// Its slot, or the free one for it. There is always a free one.
std::size_t Hashes::Shard::find(std::uint64_t hash) const {
  std::size_t at = home(hash, slots.size());
  while (slots[at] != 0 && slots[at] != hash)
    at = at + 1 == slots.size() ? 0 : at + 1;
  return at;
}

void Hashes::Shard::grow() {
  const std::vector<std::uint64_t> old =
      std::exchange(slots, std::vector<std::uint64_t>(std::max(smallest, slots.size() * 3 / 2)));
  for (const std::uint64_t hash : old)
    if (hash != 0)
      slots[find(hash)] = hash;
}

bool Hashes::contains(std::uint64_t hash) const {
  const Shard& shard = shards_[shard_of(hash)];
  return !shard.slots.empty() && shard.slots[shard.find(hash)] == hash;
}

bool Hashes::insert(std::uint64_t hash) {
  Shard& shard = shards_[shard_of(hash)];
  if (shard.used * 4 >= shard.slots.size() * 3)
    shard.grow();
  std::uint64_t& slot = shard.slots[shard.find(hash)];
  if (slot == hash)
    return false;
  slot = hash;
  ++shard.used;
  ++size_;
  return true;
}

bool Hashes::erase(std::uint64_t hash) {
  Shard& shard = shards_[shard_of(hash)];
  if (shard.slots.empty())
    return false;
  std::size_t free = shard.find(hash);
  if (shard.slots[free] != hash)
    return false;
  // Move later entries up, so that no gap hides them.
  const std::size_t slots = shard.slots.size();
  for (std::size_t at = free;;) {
    at = at + 1 == slots ? 0 : at + 1;
    if (shard.slots[at] == 0)
      break;
    const std::size_t wish = home(shard.slots[at], slots);
    if ((at + slots - wish) % slots >= (at + slots - free) % slots)
      shard.slots[std::exchange(free, at)] = shard.slots[at];
  }
  shard.slots[free] = 0;
  --shard.used;
  --size_;
  return true;
}

} // namespace hostpin
