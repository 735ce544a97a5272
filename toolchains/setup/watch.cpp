// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/watch.hpp"

#include "toolchains/base/threads.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <utility>

namespace hostpin::setup {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds between_looks{300};

std::uint64_t bytes_in(const std::string& directory) {
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

} // namespace

DirectoryWatch::DirectoryWatch(std::string directory, Progress& progress)
    : directory_(std::move(directory)), progress_(progress), thread_(thread_for([this] { run(); })) {}

DirectoryWatch::~DirectoryWatch() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) // else none could be made
    thread_.join();
}

void DirectoryWatch::run() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, between_looks, [this] { return over_; }))
    progress_.fetched(bytes_in(directory_));
}

} // namespace hostpin::setup
