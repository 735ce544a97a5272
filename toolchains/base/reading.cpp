// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/reading.hpp"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

namespace hostpin {

std::optional<std::string> read_all(int descriptor, std::size_t limit, std::size_t expected) {
  constexpr std::size_t more = 4096;
  // One byte more, so that the end of a file of the expected size is found without another block.
  std::string content(std::min(limit, expected) + 1, '\0');
  for (std::size_t size = 0;;) {
    if (size == content.size() || content.size() == 1)
      content.resize(size + std::max(more, size));
    const ssize_t count = ::read(descriptor, content.data() + size, content.size() - size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return std::nullopt;
    if (count == 0) {
      content.resize(size);
      return content;
    }
    size += static_cast<std::size_t>(count);
    if (size > limit) {
      errno = EFBIG;
      return std::nullopt;
    }
  }
}

} // namespace hostpin
