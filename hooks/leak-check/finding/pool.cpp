// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/finding/pool.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

namespace hostpin {

namespace {

// An id is a chunk and a place in it. The first place of the first chunk holds nothing, so that no id is 0.
constexpr unsigned place_bits = 16;
constexpr std::size_t chunk_size = std::size_t{1} << place_bits;
using Length = std::uint32_t; // stands before each string

} // namespace

StringPool::Id StringPool::add(std::string_view text) {
  if (text.empty())
    return empty;
  if ((count_ + 1) * 4 > slots_.size() * 3)
    grow();
  Id& slot = slots_[slot_of(text)];
  if (slot == empty) {
    slot = keep(text);
    ++count_;
  }
  return slot;
}

std::string_view StringPool::at(Id id) const {
  if (id == empty)
    return {};
  const char* const place = chunks_[id >> place_bits].bytes.get() + (id & (chunk_size - 1));
  Length length = 0;
  std::memcpy(&length, place, sizeof length);
  return {place + sizeof length, length};
}

StringPool::Id StringPool::keep(std::string_view text) {
  const auto length = static_cast<Length>(text.size());
  const std::size_t needed = sizeof length + length;
  const std::size_t first = chunks_.empty() ? 1 : 0;
  if (chunks_.empty() || chunks_.back().size - chunks_.back().used < needed) {
    const std::size_t size = std::max(chunk_size, needed + first);
    chunks_.push_back({std::make_unique_for_overwrite<char[]>(size), size, first});
    bytes_ += size;
  }
  Chunk& chunk = chunks_.back();
  const auto id = static_cast<Id>(((chunks_.size() - 1) << place_bits) | chunk.used);
  std::memcpy(chunk.bytes.get() + chunk.used, &length, sizeof length);
  std::memcpy(chunk.bytes.get() + chunk.used + sizeof length, text.data(), length);
  // What is longer than a chunk has one of its own, and nothing behind it could be named.
  chunk.used = std::min(chunk.used + needed, chunk.size);
  if (chunk.size > chunk_size)
    chunk.used = chunk.size;
  return id;
}

void StringPool::grow() {
  constexpr std::size_t first_size = 256;
  const std::vector<Id> before =
      std::exchange(slots_, std::vector<Id>(std::max(first_size, slots_.size() * 2), empty));
  for (const Id id : before)
    if (id != empty)
      slots_[slot_of(at(id))] = id;
  bytes_ += (slots_.size() - before.size()) * sizeof(Id);
}

std::size_t StringPool::slot_of(std::string_view text) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<std::string_view>()(text) & mask;
  while (slots_[slot] != empty && at(slots_[slot]) != text)
    slot = (slot + 1) & mask;
  return slot;
}

} // namespace hostpin
