// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/content/content.hpp"

#include <algorithm>

namespace hostpin {

namespace {

// More than a path in UTF-16 to either side, and the word before it.
constexpr std::uint64_t overlap = 16384;

} // namespace

ContentScan::ContentScan(const NeedleSet& needles)
    : scan_(needles, [this](const Hit& hit) { report(hit); }) {}

void ContentScan::report(const Hit& hit) {
  const std::uint64_t offset = hit.offset + shift_;
  if (offset >= begin_ && offset < end_)
    hits_->add(hit, shift_, places_->at(offset), scan_.at_hand(), scan_.at_hand_from());
}

void ContentScan::start(Places& places, HitCollector& hits) {
  places_ = &places;
  hits_ = &hits;
  shift_ = begin_ = 0;
  end_ = ~0ULL;
}

Result<void> ContentScan::range(const Blob& blob, std::uint64_t begin, std::uint64_t end, Places& places,
                                HitCollector& hits, LinkedIn& linked_in) {
  start(places, hits);
  begin_ = begin;
  end_ = end;
  shift_ = begin - std::min(begin, overlap);
  const std::uint64_t last = std::min(blob.size(), end + std::min(overlap, ~end));
  Result<void> outcome;
  for (std::uint64_t at = shift_; at < last;) {
    const std::span<char> space = scan_.space();
    const auto count = blob.read(
        at, space.first(static_cast<std::size_t>(std::min<std::uint64_t>(space.size(), last - at))));
    if (!count) {
      outcome = tl::unexpected(count.error());
      break;
    }
    scan_.advance(*count);
    at += *count;
    const std::string_view bytes = scan_.at_hand();
    const std::size_t seen = std::min(bytes.size(), *count + LinkedIn::overlap);
    linked_in.see(at - seen, bytes.substr(bytes.size() - seen));
  }
  scan_.finish();
  return outcome;
}

} // namespace hostpin
