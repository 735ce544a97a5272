// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/watch.hpp"

#include <filesystem>

namespace hostpin::setup {

namespace fs = std::filesystem;

std::uint64_t bytes_below(const std::string& directory) {
  std::uint64_t sum = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entries(directory, error), end; !error && entries != end;
       entries.increment(error)) {
    std::error_code vanished;
    if (const std::uint64_t size = entries->is_regular_file(vanished) ? entries->file_size(vanished) : 0;
        !vanished)
      sum += size;
  }
  return sum;
}

DirectoryWatch::DirectoryWatch(const std::string& directory, Progress& progress)
    : ticker_([directory, &progress] { progress.fetched(bytes_below(directory)); }, Ticker::Time(300),
              Ticker::Time(300)) {}

} // namespace hostpin::setup
