// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/report/shard.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hostpin {

/// Unites the reports of all shards of one scan into what a scan by one process would have found.
class Merge {
public:
  /// `version`: of the hostpin that wrote them. `memory`: beside which the list of findings may take its
  /// part, see FindingList; 0: that of the shards.
  explicit Merge(std::string version, std::uint64_t memory = 0)
      : version_(std::move(version)), memory_(memory) {}

  /// The next report, in any order. An error: it is damaged, is of a shard that was there already, or of
  /// another scan or release; it says in what they differ.
  Result<void> add(const ReadReport& read, const std::string& name);

  /// All findings, sorted, once every report was added. An error names the shards that are missing.
  Result<Findings> finish();

  /// Of the scan, and how often all shards together used each exception. Valid once a report was added.
  const ShardStamp& stamp() const { return *stamp_; }

private:
  Result<void> take(const ShardStamp& stamp, const std::string& name);

  Findings findings_;
  std::string version_;
  std::uint64_t memory_;
  std::optional<ShardStamp> stamp_;  ///< the first report's
  std::vector<std::string> reports_; ///< their names, by shard; empty where there is none yet
  std::string first_;                ///< name of the first
};

} // namespace hostpin
