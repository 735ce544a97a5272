// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/store/store.hpp"

#include "toolchains/base/files.hpp"
#include "toolchains/base/os_error.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/redist/lock.hpp"

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <sys/stat.h>
#include <unistd.h>

namespace hostpin::redist {

namespace {

constexpr std::string_view to_cas = "../cas/sha256-";

std::string link_target(const std::string& path) {
  std::array<char, PATH_MAX> target{};
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  return size <= 0 ? std::string() : std::string(target.data(), static_cast<std::size_t>(size));
}

bool is_directory(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

Result<void> make_directory(const std::string& path) {
  for (std::size_t at = 0; at != std::string::npos;) {
    at = path.find('/', at + 1);
    const std::string parent = path.substr(0, at);
    // mkdir may fail with EROFS or EACCES although the directory exists.
    if (::mkdir(parent.c_str(), 0777) != 0 && errno != EEXIST && !is_directory(parent))
      return os_failure("create the store's directory " + parent);
  }
  return {};
}

/// Makes or replaces a symbolic link in one step.
Result<void> place_link(const std::string& target, const std::string& path, const std::string& temporary) {
  const std::string draft =
      temporary + "/link." + std::to_string(::getpid()) + '.' + path.substr(path.rfind('/') + 1);
  static_cast<void>(::unlink(draft.c_str())); // left by a process of the same number that was killed
  if (::symlink(target.c_str(), draft.c_str()) != 0 || ::rename(draft.c_str(), path.c_str()) != 0) {
    auto error = os_failure("write " + path);
    static_cast<void>(::unlink(draft.c_str()));
    return error;
  }
  return {};
}

} // namespace

std::optional<StoredTree> Store::tree(std::string_view sha256) const {
  const std::string target = link_target(trees_path(sha256));
  if (!target.starts_with(to_cas))
    return std::nullopt;
  StoredTree stored;
  stored.tree = target.substr(to_cas.size());
  if (!is_hex_digest(stored.tree, 64))
    return std::nullopt;
  stored.path = cas_path(stored.tree);
  constexpr std::size_t longest_name = 4096;
  const auto top = DiskFiles().read(top_path(sha256), longest_name);
  if (!is_directory(stored.path) || !top)
    return std::nullopt;
  stored.top = *top;
  return stored;
}

Result<void> Store::create() const {
  for (const std::string_view room : {"/trees", "/cas", "/tops", "/partial", "/locks", "/tmp"})
    TRY(make_directory(directory_ + std::string(room)));
  return {};
}

Result<StoredTree> Store::add(std::string_view sha256, const std::string& unpacked, std::string_view tree,
                              std::string_view top) const {
  const std::string path = cas_path(tree);
  // Another process may have added a tree of the same content since: then that one is used.
  if (!is_directory(path) && ::rename(unpacked.c_str(), path.c_str()) != 0 && errno != ENOTEMPTY &&
      errno != EEXIST)
    return os_failure("move " + unpacked + " to " + path);
  TRY(replace_file(top_path(sha256), top, false));
  if (auto placed = place_link(std::string(to_cas) + std::string(tree), trees_path(sha256), temporary_path());
      !placed)
    return tl::unexpected(placed.error());
  return StoredTree{path, std::string(tree), std::string(top)};
}

} // namespace hostpin::redist
