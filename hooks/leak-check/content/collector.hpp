// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/content/places.hpp"
#include "hooks/leak-check/scan/scanned_file.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace hostpin {

/// The hits in a part of a file, by place and needle: as many as a hostile file may hold take little memory.
class HitCollector {
public:
  /// `most_kinds`: how many it tells apart; of more none is kept.
  explicit HitCollector(std::size_t most_kinds = 50'000) : most_kinds_(most_kinds) {}

  /// `bytes`: what is at hand around the hit, beginning at `from` in the same stream. `shift` is added to its
  /// offset.
  void add(const Hit& hit, std::uint64_t shift, std::uint32_t place, std::string_view bytes,
           std::uint64_t from);

  /// Those of the next part of the same file.
  void append(HitCollector&& next);

  /// With `path` for a location; sorted. None are left.
  std::vector<FoundNeedle> take(const Places& places, const std::string& path);

  /// Whether there were more kinds of hits than are kept.
  bool is_full() const { return full_; }

private:
  /// Place, needle, and how it is told.
  using Key = std::tuple<std::uint32_t, std::uint32_t, Hit::How, Hit::Encoding, bool>;
  struct Hits {
    std::string text;   ///< of the first
    std::string common; ///< path that all of them lie at or below; not kept where all are alike
    bool are_alike = true;
    std::uint64_t times = 0;
    std::vector<std::uint64_t> offsets;

    void meet(const std::string& path);
  };

  std::size_t most_kinds_;
  std::map<Key, Hits> hits_;
  bool full_ = false;
};

} // namespace hostpin
