// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <pthread.h>

namespace hostpin::test {

/// While it lives, this process can make no thread: each would need a stack as large as the address space.
class NoThreads {
public:
  NoThreads() {
    pthread_getattr_default_np(&former_);
    pthread_attr_t wanted;
    pthread_attr_init(&wanted);
    pthread_attr_setstacksize(&wanted, std::size_t{1} << 47U);
    pthread_setattr_default_np(&wanted);
    pthread_attr_destroy(&wanted);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;
  ~NoThreads() {
    pthread_setattr_default_np(&former_);
    pthread_attr_destroy(&former_);
  }

private:
  pthread_attr_t former_{};
};

} // namespace hostpin::test
