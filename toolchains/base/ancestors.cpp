// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/ancestors.hpp"

#include "toolchains/base/ownership.hpp"

#include <climits>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace hostpin {

namespace {

constexpr unsigned most_links = 40; // as in the kernel

bool is_of_another(const struct stat& status, uid_t owner_of_root) {
  return !is_of_user_or_root(status) && status.st_uid != owner_of_root;
}

bool is_exchangeable(const struct stat& status, uid_t owner_of_root) {
  if (is_of_another(status, owner_of_root))
    return true;
  if (S_ISLNK(status.st_mode) || (S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0))
    return false;
  return is_writable_by_others(status);
}

bool is_link_of_another(const struct stat& status, uid_t owner_of_root) {
  return S_ISLNK(status.st_mode) && is_of_another(status, owner_of_root);
}

/// Removes and returns the first name; empty at the end.
std::string take_name(std::string& path) {
  const std::size_t begin = path.find_first_not_of('/');
  if (begin == std::string::npos)
    return {};
  const std::size_t end = path.find('/', begin);
  std::string name = path.substr(begin, end == std::string::npos ? end : end - begin);
  path.erase(0, end);
  return name;
}

/// The first entry on the way to an absolute path that `is_wrong`, or a link that cannot be followed.
std::string first_wrong(const std::string& path, bool (&is_wrong)(const struct stat&, uid_t)) {
  struct stat status {};
  if (stat("/", &status) != 0 || is_wrong(status, status.st_uid))
    return "/";
  const uid_t owner_of_root = status.st_uid;
  std::string at, rest = path;
  unsigned links = 0;
  for (std::string name = take_name(rest); !name.empty(); name = take_name(rest)) {
    if (name == "..")
      at.erase(at.empty() ? 0 : at.rfind('/'));
    if (name == "." || name == "..")
      continue;
    const std::size_t above = at.size();
    at.append(1, '/').append(name);
    if (lstat(at.c_str(), &status) != 0)
      return {};
    if (is_wrong(status, owner_of_root))
      return at;
    if (!S_ISLNK(status.st_mode))
      continue;
    char target[PATH_MAX];
    const ssize_t size = readlink(at.c_str(), target, sizeof target);
    if (size <= 0 || ++links > most_links)
      return at;
    const std::string_view leads(target, static_cast<std::size_t>(size));
    at.erase(leads.front() == '/' ? 0 : above);
    rest.insert(0, leads);
  }
  return {};
}

} // namespace

std::string exchangeable_by_others(const std::string& path) {
  return first_wrong(path, is_exchangeable);
}

std::string link_of_another(const std::string& path) {
  return first_wrong(path, is_link_of_another);
}

} // namespace hostpin
