// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/bytes/blob.hpp"
#include "hooks/leak-check/content/collector.hpp"
#include "hooks/leak-check/content/places.hpp"
#include "hooks/leak-check/elf/linked_in.hpp"
#include "hooks/leak-check/needles/scan.hpp"
#include "hooks/leak-check/packed/target.hpp"

#include <cstdint>

namespace hostpin {

/// Looks for needles in files and streams, one after the other; for one thread.
class ContentScan final : public Target {
public:
  /// Keeps a reference to `needles`.
  explicit ContentScan(const NeedleSet& needles);

  /// The hits that begin in that range of the blob. Ranges that cover it give the same hits, put together,
  /// whatever they are; only beyond a run of more than PATH_MAX bytes without any that separates paths may
  /// another spelling of one go unseen.
  Result<void> range(const Blob& blob, std::uint64_t begin, std::uint64_t end, Places& places,
                     HitCollector& hits, LinkedIn& linked_in);

  /// A stream that is written into `space()`, until `finish`.
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
  std::uint64_t begin_ = 0, end_ = ~0ULL; ///< hits outside are not told
};

} // namespace hostpin
