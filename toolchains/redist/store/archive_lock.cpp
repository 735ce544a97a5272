// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/store/archive_lock.hpp"

#include "toolchains/base/files.hpp"
#include "toolchains/base/os_error.hpp"
#include "toolchains/redist/lock.hpp"

#include <array>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>
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

Result<std::optional<ArchiveLock>> ArchiveLock::take(const std::string& path) {
  ArchiveLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (lock.descriptor_ < 0)
    return os_failure("open " + path);
  while (::flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK)
      return std::nullopt;
    if (errno != EINTR)
      return os_failure("lock " + path);
  }
  return std::optional<ArchiveLock>(std::move(lock));
}

ArchiveLock::ArchiveLock(ArchiveLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

ArchiveLock& ArchiveLock::operator=(ArchiveLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

ArchiveLock::~ArchiveLock() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
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
      const auto lock = ArchiveLock::take(store.lock_path(archive));
      std::error_code ignored;
      if (lock && *lock)
        std::filesystem::remove_all(directory + '/' + name, ignored);
    }
  }
}

} // namespace hostpin::redist
