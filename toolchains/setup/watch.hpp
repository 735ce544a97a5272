// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/setup/packages.hpp"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace hostpin::setup {

/// Reports, for as long as it lives, how many bytes are in the files of a directory and those below it.
class DirectoryWatch {
public:
  DirectoryWatch(std::string directory, Progress& progress);
  DirectoryWatch(const DirectoryWatch&) = delete;
  DirectoryWatch& operator=(const DirectoryWatch&) = delete;
  ~DirectoryWatch();

private:
  void run();

  std::string directory_;
  Progress& progress_;
  bool over_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
};

} // namespace hostpin::setup
