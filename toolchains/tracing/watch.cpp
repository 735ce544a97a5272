// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/tracing/watch.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <set>
#include <string_view>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace hostpin::tracing {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t block = 512; // unit of st_blocks

/// The sum of the numbers after names in a file of lines such as `RssAnon:   123 kB`; nothing if it has none.
std::optional<std::uint64_t> sum_in(const std::string& path, std::initializer_list<std::string_view> names) {
  std::optional<std::uint64_t> sum;
  std::ifstream file(path);
  for (std::string word; file >> word; file.ignore(std::numeric_limits<std::streamsize>::max(), '\n'))
    if (std::find(names.begin(), names.end(), word) != names.end())
      if (std::uint64_t number = 0; file >> number)
        sum = sum.value_or(0) + number;
  return sum;
}

/// The children of all threads of a process.
std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> children;
  std::error_code error;
  for (fs::directory_iterator task(fmt::format("/proc/{}/task", process), error), end; !error && task != end;
       task.increment(error)) {
    std::ifstream list(task->path() / "children");
    for (pid_t child = 0; list >> child;)
      children.push_back(child);
  }
  return children;
}

std::vector<pid_t> descendants() {
  std::vector<pid_t> processes = children_of(getpid());
  for (std::size_t index = 0; index < processes.size(); ++index)
    for (const pid_t child : children_of(processes[index]))
      processes.push_back(child);
  return processes;
}

/// Kilobytes of a process, with all that it shares.
std::uint64_t resident(pid_t process) {
  return sum_in(fmt::format("/proc/{}/status", process), {"RssAnon:", "RssShmem:"}).value_or(0);
}

} // namespace

std::optional<Excess> Watch::excess(Clock::time_point now) {
  constexpr std::chrono::seconds between{1};
  constexpr int least_pause = 19; // times as long as reading the directories
  if (limits_.memory > 0 && now >= next_memory_) {
    next_memory_ = now + between;
    if (memory_of_descendants(limits_.memory) > limits_.memory)
      return Excess::memory;
  }
  if (limits_.space > 0 && now >= next_space_) {
    const bool is_excess =
        space_of_files(limits_.space_of) + space_of_removed(limits_.space_of) > limits_.space;
    const auto end = Clock::now();
    next_space_ = end + std::max<Clock::duration>(between, least_pause * (end - now));
    if (is_excess)
      return Excess::space;
  }
  return std::nullopt;
}

std::uint64_t memory_of_descendants(std::uint64_t enough) {
  constexpr std::uint64_t kilo = 1024;
  std::uint64_t most = 0, bytes = 0; // pages of a fork count in each process, or divided among them
  const std::vector<pid_t> processes = descendants();
  for (const pid_t process : processes)
    most += resident(process) * kilo;
  if (most <= enough) // dividing them takes the kernel longer
    return most;
  for (const pid_t process : processes)
    if (const auto part = sum_in(fmt::format("/proc/{}/smaps_rollup", process), {"Pss_Anon:", "Pss_Shmem:"}))
      bytes += *part * kilo;
    else // a kernel before 5.1, or a process that has just ended
      bytes += resident(process) * kilo;
  return bytes;
}

std::uint64_t space_of_files(const std::string& directory) {
  std::uint64_t bytes = 0;
  std::vector<fs::path> directories{directory};
  while (!directories.empty()) {
    const fs::path here = std::move(directories.back());
    directories.pop_back();
    std::error_code error; // of one that has gone meanwhile
    for (fs::directory_iterator entry(here, error), end; !error && entry != end; entry.increment(error)) {
      struct stat found {};
      if (lstat(entry->path().c_str(), &found) != 0 || found.st_nlink == 0)
        continue;
      const bool is_directory = S_ISDIR(found.st_mode);
      bytes += static_cast<std::uint64_t>(found.st_blocks) * block /
               (is_directory ? 1 : static_cast<std::uint64_t>(found.st_nlink));
      if (is_directory)
        directories.push_back(entry->path());
    }
  }
  return bytes;
}

std::uint64_t space_of_removed(const std::string& directory) {
  std::error_code error;
  const std::string below = fs::canonical(directory, error).string() + '/';
  if (error)
    return 0;
  std::set<std::pair<dev_t, ino_t>> seen;
  std::uint64_t bytes = 0;
  for (const pid_t process : descendants())
    for (fs::directory_iterator entry(fmt::format("/proc/{}/fd", process), error), end;
         !error && entry != end; entry.increment(error)) {
      struct stat found {};
      std::error_code gone;
      if (stat(entry->path().c_str(), &found) == 0 && S_ISREG(found.st_mode) && found.st_nlink == 0 &&
          fs::read_symlink(entry->path(), gone).string().starts_with(below) &&
          seen.emplace(found.st_dev, found.st_ino).second)
        bytes += static_cast<std::uint64_t>(found.st_blocks) * block;
    }
  return bytes;
}

std::optional<std::uint64_t> free_space(const std::string& directory) {
  struct statvfs found {};
  if (statvfs(directory.c_str(), &found) != 0)
    return std::nullopt;
  return std::uint64_t{found.f_bavail} * found.f_frsize;
}

std::optional<std::uint64_t> kernel_kills() {
  return sum_in("/proc/vmstat", {"oom_kill"});
}

} // namespace hostpin::tracing
