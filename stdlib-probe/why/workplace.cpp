// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/workplace.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

namespace hostpin {

Workplace::Workplace(std::string path) : path_(std::move(path)) {}
Workplace::Workplace(Workplace&& other) noexcept : path_(std::exchange(other.path_, {})) {}

Workplace::~Workplace() {
  std::error_code ignored;
  if (!path_.empty())
    std::filesystem::remove_all(path_, ignored);
}

Result<Workplace> Workplace::make(const Environment& environment) {
  std::string pattern = environment["TMPDIR"].value_or("/tmp") + "/hostpin-why.XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr)
    return failure("cannot make a directory for the object in " + pattern.substr(0, pattern.rfind('/')) +
                       ": " + std::generic_category().message(errno),
                   "set TMPDIR to a directory that can be written");
  return Workplace(std::move(pattern));
}

} // namespace hostpin
