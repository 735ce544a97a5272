// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/shard_number.hpp"
#include "hooks/leak-check/report/report.hpp"
#include "toolchains/base/result.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace hostpin {

/// What the report of one shard says beside its findings. Reports that differ in any of it but the index and
/// how often exceptions were used are no parts of one scan.
struct ShardStamp {
  struct Used {
    unsigned line = 0; ///< of the exception in its file
    std::uint64_t times = 0;

    bool operator==(const Used&) const = default;
  };

  ShardNumber number;
  std::string version;              ///< hostpin's
  std::vector<std::string> options; ///< words of the command line that say what is looked at, for people
  std::uint64_t memory = 0;         ///< --memory, in bytes; 0: none was named
  std::uint64_t judged_by = 0;      ///< digest of all that decides what is found
  std::uint64_t paths = 0;          ///< digest of what was named
  std::uint64_t tree = 0;           ///< digest of what lies there
  std::uint64_t surroundings = 0;   ///< digest of what loaders would read there and around it
  std::uint64_t entries = 0;        ///< in all shards together
  std::string exceptions;           ///< their file; empty: there is none
  std::vector<Used> used;           ///< each exception
};

/// As `report_json`, with what `merge` needs beside it.
void report_shard(const Findings& findings, const ShardStamp& stamp, const Write& write);

/// Gives the next bytes of a report, at most as many as there is space for; 0 at its end. The error is a
/// reason.
using ReadReport = std::function<Result<std::size_t>(char* space, std::size_t size)>;

/// Reads what `report_shard` of hostpin `version` wrote, piece by piece: each finding goes to `into` at once.
/// `take`: called with the stamp as soon as it is known, refuses reports that do not belong here. An error
/// names the report by `name` and what is wrong where; `into` holds a part of it then.
Result<void> read_shard(const ReadReport& read, const std::string& name, const std::string& version,
                        Findings& into, const std::function<Result<void>(const ShardStamp&)>& take);

} // namespace hostpin
