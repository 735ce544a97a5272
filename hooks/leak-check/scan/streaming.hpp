// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/scan/file_scan.hpp"

#include <span>
#include <utility>

// How both halves of FileScan that open what is packed scan what comes out.

namespace hostpin {

/// Counts what passes to another target.
class Counted final : public Target {
public:
  Counted(Target& target, Budget& budget) : target_(target), budget_(budget) {}

  std::span<char> space() override { return target_.space(); }
  bool advance(std::size_t count) override { return budget_.spend(count) && target_.advance(count); }

private:
  Target& target_;
  Budget& budget_;
};

template <typename Fill>
Result<void> FileScan::stream(Places& places, ScannedFile& file, Budget& budget, const Fill& fill) {
  HitCollector hits(budget.most_kinds());
  content_.start(places, hits);
  Counted counted(content_, budget);
  Result<void> outcome = fill(counted);
  content_.finish();
  for (FoundNeedle& one : hits.take(places, file.path))
    file.found.push_back(std::move(one));
  if (hits.is_full() && !budget.is_alone())
    budget.want_all();
  if (outcome && hits.is_full())
    return failure("it has more references than can be told");
  return outcome;
}

} // namespace hostpin
