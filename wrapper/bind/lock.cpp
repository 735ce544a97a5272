// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/lock.hpp"

#include "toolchains/base/process.hpp"
#include "toolchains/base/termination.hpp"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace hostpin {

namespace {

// Short enough not to be noticed after Ctrl-C, and little work for hundreds of calls that wait at once.
constexpr std::chrono::milliseconds between_tries{20};

} // namespace

Lock::Lock(const std::string& path) : Lock(path, O_RDWR | O_CREAT) {}

Lock Lock::of_directory(const std::string& path) {
  return {path, O_RDONLY | O_DIRECTORY};
}

// The other constructor has completed when waiting begins, so an exception here closes the descriptor.
Lock::Lock(const std::string& path, int flags) : Lock(open(path.c_str(), flags | O_CLOEXEC, 0600)) {
  // Signals that are blocked do not end a flock that waits.
  while (descriptor_ >= 0 && flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR)
      continue;
    if (errno != EWOULDBLOCK)
      return;
    if (termination_pending())
      throw Interrupted();
    std::this_thread::sleep_for(between_tries);
  }
}

Lock::~Lock() {
  if (descriptor_ >= 0)
    close(descriptor_);
}

} // namespace hostpin
