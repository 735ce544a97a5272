// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/content/places.hpp"
#include "hooks/leak-check/elf/linked_in.hpp"
#include "hooks/leak-check/needles/scan.hpp"
#include "hooks/leak-check/scan/scanned_file.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/decompress.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace hostpin {

/// The hits in a part of a file, grouped by place and needle, so that a hostile file takes little memory.
class HitCollector {
public:
  /// `most_kinds`: number of groups; hits of further ones are dropped.
  explicit HitCollector(std::size_t most_kinds = 50'000) : most_kinds_(most_kinds) {}

  /// `bytes`: those around the hit, beginning at `from` in the same stream. `shift` is added to its
  /// offset.
  void add(const Hit& hit, std::uint64_t shift, std::uint32_t place, std::string_view bytes,
           std::uint64_t from);

  /// Appends those of the next part of the same file.
  void append(HitCollector&& next);

  /// Moves them out, sorted, with `path` as their location.
  std::vector<FoundNeedle> take(const Places& places, const std::string& path);

  /// Whether hits were dropped.
  bool is_full() const { return full_; }

private:
  /// Place, needle, and kind of hit.
  using Key = std::tuple<std::uint32_t, std::uint32_t, Hit::How, Hit::Encoding, bool>;
  struct Hits {
    std::string text;   ///< of the first
    std::string common; ///< path that all of them are at or below; unused while all are alike
    bool are_alike = true;
    std::uint64_t times = 0;
    std::vector<std::uint64_t> offsets;

    void meet(const std::string& path);
  };

  std::size_t most_kinds_;
  std::map<Key, Hits> hits_;
  bool full_ = false;
};

/// Searches files and streams for needles, one after the other; not thread-safe.
class ContentScan final : public Target {
public:
  /// Keeps a reference to `needles`.
  explicit ContentScan(const NeedleSet& needles);

  /// The hits that begin in that range of the blob. Together, ranges that cover the blob give the same hits,
  /// however it is divided, except that a path that needs normalising may be missed after more than PATH_MAX
  /// bytes without a separator.
  Result<void> range(const Blob& blob, std::uint64_t begin, std::uint64_t end, Places& places,
                     HitCollector& hits, LinkedIn& linked_in);

  /// Begins a stream that is written into `space()`, until `finish`.
  void start(Places& places, HitCollector& hits);
  std::span<char> space() override { return scan_.space(); }
  bool advance(std::size_t count) override {
    scan_.advance(count);
    return true;
  }
  void finish() { scan_.finish(); }

private:
  void report(const Hit& hit);

  NeedleScan scan_;
  Places* places_ = nullptr;
  HitCollector* hits_ = nullptr;
  std::uint64_t shift_ = 0;               ///< of the stream's beginning in the blob
  std::uint64_t begin_ = 0, end_ = ~0ULL; ///< hits outside are not reported
};

} // namespace hostpin
