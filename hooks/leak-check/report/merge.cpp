// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/report/merge.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hostpin {

namespace {

constexpr const char* scan_again = "scan all shards again, with the same words but for --shard, and while "
                                   "nobody writes to what is looked at";

std::string words_of(const ShardStamp& stamp) {
  return stamp.options.empty() ? "none" : fmt::format("{}", fmt::join(stamp.options, " "));
}

/// What two reports differ in and must not, and what to do; no message where there is nothing.
Error difference(const ShardStamp& a, const ShardStamp& b) {
  if (a.number.of != b.number.of)
    return {fmt::format("one is of {} shards, the other of {}", a.number.of, b.number.of), scan_again};
  if (a.options != b.options || a.memory != b.memory)
    return {fmt::format("the options of one were {}, those of the other {}", words_of(a), words_of(b)),
            scan_again};
  if (a.paths != b.paths)
    return {"they are of different paths", "name the same paths, spelt alike, for each shard"};
  if (a.judged_by != b.judged_by || a.exceptions != b.exceptions || a.used.size() != b.used.size())
    return {"they were judged by different bindings, forbidden paths or exceptions",
            "give each shard the same --binding, --forbid, --exceptions and the like, where they lead to the "
            "same files"};
  if (a.tree != b.tree || a.entries != b.entries)
    return {"the trees differ in names, sizes or times of change", scan_again};
  if (a.surroundings != b.surroundings)
    return {"what loaders would find differs, among files that not all of them could read or among libraries "
            "and directories of run paths around the tree",
            "scan all shards as one user and on machines that are alike, or a whole system by --root"};
  return {};
}

} // namespace

Result<void> Merge::take(const ShardStamp& stamp, const std::string& name) {
  if (!stamp_) {
    stamp_ = stamp;
    first_ = name;
    reports_.resize(stamp.number.of);
    findings_.found.allow(FindingList::bytes_beside(memory_ > 0 ? memory_ : stamp.memory));
  } else {
    if (Error error = difference(*stamp_, stamp); !error.message.empty())
      return failure(fmt::format("{} and {} are no shards of one scan: {}", first_, name, error.message),
                     error.hint);
    for (std::size_t i = 0; i < stamp.used.size(); ++i) {
      if (stamp_->used[i].line != stamp.used[i].line)
        return failure(name + " has exceptions in other lines than " + first_, scan_again);
      stamp_->used[i].times = sum(stamp_->used[i].times, stamp.used[i].times);
    }
  }
  std::string& before = reports_[stamp.number.index - 1];
  if (!before.empty())
    return failure(fmt::format("shard {} is there twice: {} and {}", to_string(stamp.number), before, name),
                   "name each report once");
  before = name;
  return {};
}

Result<void> Merge::add(const ReadReport& read, const std::string& name) {
  return read_shard(read, name, version_, findings_,
                    [&](const ShardStamp& stamp) { return take(stamp, name); });
}

Result<Findings> Merge::finish() {
  constexpr std::size_t most_named = 10;
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < reports_.size(); ++i)
    if (reports_[i].empty())
      missing.push_back(std::to_string(i + 1));
  if (!missing.empty()) {
    const std::size_t shown = std::min(missing.size(), most_named);
    const auto end = missing.begin() + static_cast<std::ptrdiff_t>(shown);
    return failure(
        fmt::format("of {} shards {} {}{} missing", reports_.size(), fmt::join(missing.begin(), end, ", "),
                    missing.size() > shown ? fmt::format("and {} more ", missing.size() - shown) : "",
                    missing.size() == 1 ? "is" : "are"),
        "scan what is missing with --shard, and name all reports");
  }
  if (findings_.files != stamp_->entries)
    return failure(
        fmt::format("the shards tell of {} files, and the tree has {}", findings_.files, stamp_->entries),
        scan_again);
  findings_.sort();
  return std::move(findings_);
}

} // namespace hostpin
