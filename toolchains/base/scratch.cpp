// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/scratch.hpp"

#include "toolchains/base/os_error.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

namespace hostpin {

ScratchDirectory::ScratchDirectory(std::string path) : path_(std::move(path)) {}
ScratchDirectory::ScratchDirectory(ScratchDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

ScratchDirectory::~ScratchDirectory() {
  // A second attempt, for temporary failures: no free descriptor, a signal.
  std::error_code error;
  for (int i = 0; i < 2 && !path_.empty(); ++i) {
    std::filesystem::remove_all(path_, error);
    if (!error)
      return;
  }
}

Result<ScratchDirectory> ScratchDirectory::make(const std::string& parent) {
  std::string path = parent + "/hostpin.XXXXXX";
  if (::mkdtemp(path.data()) == nullptr)
    return os_failure("make a directory in " + parent, errno,
                      "set TMPDIR to a directory that can be written");
  return ScratchDirectory(std::move(path));
}

Result<ScratchDirectory> ScratchDirectory::make(const Environment& environment) {
  return make(environment["TMPDIR"].value_or("/tmp"));
}

} // namespace hostpin
