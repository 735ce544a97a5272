// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/file_lock.hpp"

#include "toolchains/base/process.hpp"
#include "toolchains/base/termination.hpp"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace hostpin {

namespace {

// Short enough not to be noticed after Ctrl-C, and little work for hundreds of calls that wait at once.
constexpr std::chrono::milliseconds between_tries{20};

} // namespace

FileLock FileLock::of_file(const std::string& path) {
  FileLock lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  static_cast<void>(lock.take());
  return lock;
}

FileLock FileLock::of_directory(const std::string& path) {
  FileLock lock(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  static_cast<void>(lock.take());
  return lock;
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0)
    close(descriptor_);
}

int FileLock::take_if_free() const {
  while (flock(descriptor_, LOCK_EX | LOCK_NB) != 0)
    if (errno != EINTR)
      return errno;
  return 0;
}

int FileLock::take(const std::function<void()>& waiting) const {
  bool has_waited = false;
  // Signals that are blocked do not end a flock that waits.
  for (int reason = 0; (reason = take_if_free()) != 0;) {
    if (reason != EWOULDBLOCK)
      return reason;
    if (!std::exchange(has_waited, true) && waiting)
      waiting();
    if (termination_pending())
      throw Interrupted();
    std::this_thread::sleep_for(between_tries);
  }
  return 0;
}

} // namespace hostpin
