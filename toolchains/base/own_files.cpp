// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/own_files.hpp"

#include "toolchains/base/ownership.hpp"
#include "toolchains/base/reading.hpp"
#include "toolchains/base/system_call.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>

namespace hostpin {

Result<std::string> OwnFiles::read(const std::string& path, std::size_t limit) const {
  const auto refused = [&](const std::string& why) { return failure("cannot read " + path + ": " + why); };
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0)
    return refused(std::strerror(errno));
  if (!S_ISREG(status.st_mode))
    return refused("it is not a regular file");
  if (!is_of_user_or_root(status) || is_writable_by_others(status))
    return refused("it belongs to another user, or others may write to it");
  if (auto content = read_all(file.number(), limit, static_cast<std::size_t>(status.st_size)))
    return *std::move(content);
  return refused(errno == EFBIG ? "it is larger than " + std::to_string(limit) + " bytes"
                                : std::strerror(errno));
}

} // namespace hostpin
