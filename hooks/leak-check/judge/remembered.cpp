// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/judge/remembered.hpp"

#include <cerrno>
#include <string_view>
#include <unistd.h>

namespace hostpin {

std::optional<std::string> RememberedFiles::real_path(const std::string& path) const {
  constexpr std::size_t longest = 4096; // PATH_MAX: also bounds how deep directories are followed
  const std::size_t slash = path.rfind('/');
  const std::string_view name = std::string_view(path).substr(slash + 1); // all of it where there is no slash
  if (slash == std::string::npos || slash == 0 || path.size() >= longest || name.empty() || name == "." ||
      name == "..")
    return disk_.real_path(path);
  const std::optional<std::string>& directory = real_directory(path.substr(0, slash));
  if (!directory)
    return std::nullopt;
  std::string real = *directory;
  if (!real.ends_with('/'))
    real += '/';
  real += name;
  char target = 0;
  if (::readlink(real.c_str(), &target, 1) >= 0)
    return disk_.real_path(path);
  return errno == EINVAL ? std::optional(std::move(real)) : std::nullopt; // it is there, and no symlink
}

const std::optional<std::string>& RememberedFiles::real_directory(const std::string& path) const {
  const auto known = directories_.find(path);
  if (known != directories_.end())
    return known->second;
  std::optional<std::string> real = real_path(path); // which remembers those above it
  return directories_.emplace(path, std::move(real)).first->second;
}

} // namespace hostpin
