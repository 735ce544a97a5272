// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace hostpin::tracing {

/// What the descendants of this process may use; 0: any amount.
struct UseLimits {
  std::uint64_t memory = 0; ///< bytes that are not pages of files on disk, of all processes
  std::uint64_t space = 0;  ///< bytes on disk
  std::string space_of{};   ///< the directory whose files count for that
};

enum class Excess { memory, space };

/// Compares from time to time what is used with what may be used. It is not a sharp limit: a process that
/// grows by a gigabyte a second may exceed it by a gigabyte.
class Watch {
public:
  using Clock = std::chrono::steady_clock;

  explicit Watch(const UseLimits& limits) : limits_(limits) {}

  /// What exceeds its limit. Checks once a second; reading directories takes a twentieth of the time at most.
  std::optional<Excess> excess(Clock::time_point now);

private:
  const UseLimits& limits_;
  Clock::time_point next_memory_, next_space_;
};

/// Bytes of memory of the descendants of this process that are not pages of files on disk. What several share
/// counts once if the sum is above `enough`; below, it is only known to be no more than that.
std::uint64_t memory_of_descendants(std::uint64_t enough);

/// Bytes on disk of the files below a directory; what cannot be read does not count.
std::uint64_t space_of_files(const std::string& directory);

/// Bytes on disk of files that were below a directory and have no name now, but are open in descendants of
/// this process.
std::uint64_t space_of_removed(const std::string& directory);

/// Bytes on disk that are free for files in a directory; nothing if that is not known.
std::optional<std::uint64_t> free_space(const std::string& directory);

/// How many processes this machine's kernel has killed because memory ran out; nothing if it does not say.
std::optional<std::uint64_t> kernel_kills();

} // namespace hostpin::tracing
