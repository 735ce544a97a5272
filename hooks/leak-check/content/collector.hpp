// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/content/places.hpp"
#include "hooks/leak-check/scan/scanned_file.hpp"

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
  /// `bytes`: what is at hand around the hit, beginning at `from` in the same stream. `shift` is added to its
  /// offset.
  void add(const Hit& hit, std::uint64_t shift, std::uint32_t place, std::string_view bytes,
           std::uint64_t from);

  /// Those of the next part of the same file.
  void append(HitCollector&& next);

  /// With `path` for a location; sorted.
  std::vector<FoundNeedle> found(const Places& places, const std::string& path) const;

  /// Whether there were more kinds of hits than are kept.
  bool is_full() const { return full_; }

  static constexpr std::size_t most_kinds = 50000;

private:
  /// Place, needle, and how it is told.
  using Key = std::tuple<std::uint32_t, std::uint32_t, Hit::How, Hit::Encoding, bool>;
  struct Hits {
    std::string text;   ///< of the first
    std::string common; ///< path that all of them lie at or below
    std::uint64_t times = 0;
    std::vector<std::uint64_t> offsets;
  };

  std::map<Key, Hits> hits_;
  bool full_ = false;
};

} // namespace hostpin
