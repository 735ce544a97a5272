// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/own_path.hpp"

#include <climits>
#include <cstddef>
#include <cstdlib>
#include <sys/auxv.h>
#include <unistd.h>

namespace hostpin {

std::string own_path() {
  char buffer[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", buffer, sizeof buffer);
  if (length > 0 && static_cast<std::size_t>(length) < sizeof buffer)
    return {buffer, static_cast<std::size_t>(length)};
  // Without /proc the kernel still has the path by which the program was executed.
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the auxiliary vector holds addresses as numbers.
  const auto* const executed = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (executed != nullptr && realpath(executed, buffer) != nullptr)
    return buffer;
  return {};
}

} // namespace hostpin
