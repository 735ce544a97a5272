// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/headers/forgetting.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace hostpin {

namespace {

struct Entry {
  std::filesystem::path path;
  std::filesystem::file_time_type time;
  std::uint64_t size = 0;
};

std::vector<Entry> entries_in(const std::string& directory) {
  constexpr std::size_t name_size = 32; // of the cache's file names, all hexadecimal digits
  std::vector<Entry> entries;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(directory, failed), end; !failed && at != end;
       at.increment(failed)) {
    const std::string name = at->path().filename().string();
    if (name.size() != name_size || name.find_first_not_of("0123456789abcdef") != std::string::npos)
      continue;
    std::error_code gone; // by another process
    Entry one{at->path(), at->last_write_time(gone), 0};
    one.size = gone ? 0 : at->file_size(gone);
    if (!gone)
      entries.push_back(std::move(one));
  }
  return entries;
}

} // namespace

void forget_oldest(const std::string& directory, std::size_t most_answers, std::uint64_t most_bytes) {
  std::vector<Entry> entries = entries_in(directory);
  std::uint64_t bytes = 0;
  for (const Entry& one : entries)
    bytes += one.size;
  if (entries.size() <= most_answers && bytes <= most_bytes)
    return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.time > b.time; });
  std::uint64_t left = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    left += entries[i].size;
    std::error_code gone;
    if (i >= most_answers / 4 * 3 || left > most_bytes / 4 * 3)
      std::filesystem::remove(entries[i].path, gone);
  }
}

} // namespace hostpin
