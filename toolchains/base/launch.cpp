// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/launch.hpp"

#include <algorithm>
#include <cerrno>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hostpin {

int open_input(const std::string& bytes) {
  const int fd = ::memfd_create("hostpin-input", MFD_CLOEXEC);
  if (fd < 0)
    return -1;
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = ::write(fd, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno != EINTR) {
      const int error = errno;
      ::close(fd);
      errno = error;
      return -1;
    }
    written += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  }
  ::lseek(fd, 0, SEEK_SET);
  return fd;
}

namespace {

bool is_program(const std::string& path) {
  struct stat data {};
  return ::stat(path.c_str(), &data) == 0 && S_ISREG(data.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

} // namespace

std::optional<std::string> executable(const std::string& name, const Environment& environment) {
  if (name.find('/') != std::string::npos)
    return name;
  const std::string path = environment["PATH"].value_or("/usr/local/bin:/usr/bin:/bin");
  for (std::size_t begin = 0; !name.empty() && begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    std::string candidate = path.substr(begin, end - begin) + '/' + name;
    if (path[begin] == '/' && is_program(candidate))
      return candidate;
    begin = end + 1;
  }
  return std::nullopt;
}

std::vector<std::string> variables_for(const Command& command, const Environment& environment) {
  // The program may be a script that runs our nvcc or c++ in turn; HOSTPIN_PROBING keeps these from probing
  // again.
  std::vector<std::string> result{"LC_ALL=C", "HOSTPIN_PROBING=1"};
  for (const auto& [name, value] : environment.variables()) {
    const bool hidden = name == "LC_ALL" || name == "LANGUAGE" || name == "HOSTPIN_PROBING" ||
                        std::find(command.unset.begin(), command.unset.end(), name) != command.unset.end();
    if (!hidden)
      result.push_back(name + '=' + value);
  }
  return result;
}

} // namespace hostpin
