// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/command/options.hpp"
#include "hooks/leak-check/exceptions/exceptions.hpp"
#include "hooks/leak-check/policy/policy.hpp"
#include "hooks/leak-check/report/shard.hpp"
#include "hooks/leak-check/scan/share.hpp"

#include <string>
#include <vector>

namespace hostpin {

/// What is to be the same in all shards of a scan: what is looked at, and all that it is judged by.
/// `version`: hostpin's.
ShardStamp stamp_of(const LeakOptions& options, const Policy& policy, const Unwanted& unwanted,
                    const std::vector<Exception>& exceptions, std::string version);

/// Adds what is known when the shard is scanned: the trees, and which exceptions were used. An error when the
/// trees have changed since they were divided.
Result<void> complete(ShardStamp& stamp, const Share& share, const std::vector<Exception>& exceptions);

/// A scan that was put together.
struct MergedScan {
  Findings findings;
  std::string exceptions_file;
  std::vector<Exception> exceptions; ///< line and use alone
};

/// Unites the reports that `options.paths` names, each a file or a pipe, in as much memory as `options` or
/// else their shards had.
Result<MergedScan> merged_scan(const LeakOptions& options, const std::string& version);

} // namespace hostpin
