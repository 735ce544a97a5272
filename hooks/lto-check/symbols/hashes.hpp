// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/symbols/allowance.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace hostpin {

/// Replaces a symbol's name where there may be millions: with 10 million names, two collide in one of 180,000
/// links. Never 0, and even, so that its last bit is free.
std::uint64_t symbol_hash(std::string_view name);

/// Combines two hashes; never 0, and even too.
std::uint64_t mixed(std::uint64_t one, std::uint64_t other);

/// A set of such hashes in 11 to 17 bytes each, also while it grows.
class Hashes {
public:
  static constexpr std::size_t cost = 16; ///< bytes of one, approximately

  bool contains(std::uint64_t hash) const;
  /// Whether it was added.
  bool insert(std::uint64_t hash);
  /// Whether it was removed.
  bool erase(std::uint64_t hash);
  std::size_t size() const { return size_; }

  template <typename Each>
  void each(const Each& one) const {
    for (const Shard& shard : shards_)
      for (const std::uint64_t hash : shard.slots)
        if (hash != 0)
          one(hash);
  }

private:
  /// A separate table, because a table is copied when it grows.
  struct Shard {
    std::vector<std::uint64_t> slots; ///< 0: free
    std::size_t used = 0;

    std::size_t find(std::uint64_t hash) const;
    void grow();
  };
  static constexpr std::size_t shard_bits = 6;
  static std::size_t shard_of(std::uint64_t hash) { return hash >> (64 - shard_bits); }

  std::array<Shard, std::size_t{1} << shard_bits> shards_;
  std::size_t size_ = 0;
};

/// Adds a hash and charges it to the allowance, unless that is spent.
inline void keep(Hashes& hashes, std::uint64_t hash, Allowance& allowance) {
  if (!allowance.spent() && hashes.insert(hash))
    allowance.take(Hashes::cost);
}

/// Removes a hash, and gives back its cost.
inline void drop(Hashes& hashes, std::uint64_t hash, Allowance& allowance) {
  if (hashes.erase(hash))
    allowance.give_back(Hashes::cost);
}

} // namespace hostpin
