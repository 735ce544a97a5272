// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/judge/remembered.hpp"

#include <cerrno>
#include <string_view>
#include <unistd.h>

namespace hostpin {

std::optional<std::string> RememberedFiles::resolved(std::string_view path) const {
  constexpr std::size_t longest = 4096; // PATH_MAX: also bounds how deep directories are followed
  const std::size_t slash = path.rfind('/');
  const std::string_view name = path.substr(slash + 1); // all of it where there is no slash
  if (slash == std::string_view::npos || slash == 0 || path.size() >= longest || name.empty() ||
      name == "." || name == "..")
    return disk_.real_path(std::string(path));
  const std::string* const directory = real_directory(path.substr(0, slash));
  if (directory == nullptr)
    return std::nullopt;
  std::string real = *directory;
  if (!real.ends_with('/'))
    real += '/';
  real += name;
  char target = 0;
  if (::readlink(real.c_str(), &target, 1) >= 0)
    return disk_.real_path(std::string(path));
  return errno == EINVAL ? std::optional(std::move(real)) : std::nullopt; // it exists and is not a symlink
}

const std::string* RememberedFiles::real_directory(std::string_view path) const {
  auto known = directories_.find(path);
  if (known == directories_.end()) {
    // Paths below a missing directory are not cached: there may be very many.
    const std::size_t slash = path.rfind('/');
    if (slash != std::string_view::npos && slash > 0 && real_directory(path.substr(0, slash)) == nullptr)
      return nullptr;
    known = directories_.emplace(path, resolved(path)).first;
  }
  return known->second ? &*known->second : nullptr;
}

} // namespace hostpin
