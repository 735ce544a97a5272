// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/store/archive_lock.hpp"

#include "toolchains/base/files.hpp"
#include "toolchains/base/os_error.hpp"
#include "toolchains/redist/lock.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace hostpin::redist {

namespace {

constexpr std::string_view prefix = "sha256-";
constexpr std::size_t digits = 64;

/// The archive that a leftover belongs to; empty if it is not of that form.
std::string archive_of(const std::string& name) {
  const std::size_t at = name.find(prefix);
  const std::string hash = at == std::string::npos ? "" : name.substr(at + prefix.size(), digits);
  return is_hex_digest(hash, digits) ? hash : std::string();
}

/// Files that are renamed when they are complete, and second copies of wrong downloads.
bool is_draft(const std::string& name) {
  const std::string_view rest = std::string_view(name).substr(prefix.size() + digits);
  return !rest.empty() && rest != ".from";
}

} // namespace

Result<std::optional<FileLock>> lock_archive(const std::string& path) {
  FileLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (lock.descriptor() < 0)
    return os_failure("open " + path);
  const int reason = lock.take_if_free();
  if (reason == EWOULDBLOCK)
    return std::nullopt;
  errno = reason;
  return reason == 0 ? Result<std::optional<FileLock>>(std::move(lock)) : os_failure("lock " + path);
}

void remove_leftovers(const Store& store) {
  const DiskFiles files;
  for (const char* const room : {"/tmp", "/partial", "/tops"}) {
    const std::string directory = store.directory() + room;
    for (const std::string& name : files.entries(directory)) {
      const std::string archive = archive_of(name);
      const bool is_unpacked = room == std::string_view("/partial") && store.tree(archive);
      if (archive.empty() || (room != std::string_view("/tmp") && !is_draft(name) && !is_unpacked))
        continue;
      const auto lock = lock_archive(store.lock_path(archive));
      std::error_code ignored;
      if (lock && *lock)
        std::filesystem::remove_all(directory + '/' + name, ignored);
    }
  }
}

} // namespace hostpin::redist
