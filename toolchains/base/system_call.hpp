// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cerrno>
#include <unistd.h>

namespace hostpin {

/// Closes the file descriptor that it holds; a negative one is none, as a failed open(2) returns it.
class Descriptor {
public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0)
      ::close(number_);
  }
  int number() const { return number_; }

private:
  int number_;
};

/// True if an errno means that only this process failed to access a file, and only now, so that other
/// programs may still find it. Every other reason (ENOENT, EACCES, ELOOP, ...) applies to them as well.
constexpr bool is_trouble(int reason) {
  return reason == EIO || reason == ENOMEM || reason == EINTR || reason == ESTALE || reason == EMFILE ||
         reason == ENFILE;
}

} // namespace hostpin
