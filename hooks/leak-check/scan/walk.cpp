// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/walk.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace hostpin::leak {

namespace {

constexpr int open_flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

int place_of(const WalkEntry& entry) {
  return entry.directory ? entry.directory->descriptor() : AT_FDCWD;
}

/// Named symlinks are followed, those found in a tree are not.
int no_follow(const WalkEntry& entry, int flag) {
  return entry.directory ? flag : 0;
}

/// The reason for ENOENT.
const char* absence(const WalkEntry& entry) {
  return entry.directory ? "it no longer exists" : "there is no such file or directory";
}

const char* kind_name(mode_t mode) {
  switch (mode & S_IFMT) {
  case S_IFIFO:
    return "a FIFO";
  case S_IFCHR:
  case S_IFBLK:
    return "a device";
  case S_IFSOCK:
    return "a socket";
  case S_IFDIR:
    return "a directory";
  default:
    return "not a file";
  }
}

WalkEntry unreadable(WalkEntry entry, std::string reason) {
  entry.kind = WalkEntry::Kind::unreadable;
  entry.reason = std::move(reason);
  return entry;
}

Result<std::string> target_of(const WalkEntry& entry) {
  std::string target(256, '\0');
  for (;;) {
    const ssize_t count = ::readlinkat(place_of(entry), entry.name.c_str(), target.data(), target.size());
    if (count < 0)
      return failure(binary::system_reason());
    if (static_cast<std::size_t>(count) < target.size()) {
      target.resize(static_cast<std::size_t>(count));
      return target;
    }
    target.resize(target.size() * 2);
  }
}

/// Sorted; an error if not all could be read. Opens another descriptor, because reading moves its offset.
Result<std::vector<std::string>> names_in(int directory) {
  const int copy = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const stream = copy < 0 ? nullptr : ::fdopendir(copy);
  if (stream == nullptr) {
    auto wrong = failure(binary::system_reason());
    if (copy >= 0)
      ::close(copy);
    return wrong;
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* const entry = ::readdir(stream)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..")
      names.emplace_back(name);
    errno = 0;
  }
  const int error = errno;
  ::closedir(stream);
  if (error != 0) {
    errno = error;
    return failure(binary::system_reason());
  }
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace

Result<binary::Blob> WalkEntry::open() const {
  const int descriptor = ::openat(place_of(*this), name.c_str(), open_flags | no_follow(*this, O_NOFOLLOW));
  if (descriptor < 0)
    return failure(errno == ELOOP    ? "it became a symlink"
                   : errno == ENOENT ? absence(*this)
                                     : binary::system_reason());
  auto opened = std::make_shared<const binary::OpenFile>(descriptor);
  if (!S_ISREG(opened->status().st_mode))
    return failure("it became " + std::string(kind_name(opened->status().st_mode)));
  const auto bytes = static_cast<std::uint64_t>(opened->status().st_size);
  return binary::Blob(std::move(opened), bytes);
}

Walk::Walk(std::vector<std::string> roots, std::string below)
    : roots_(std::move(roots)), below_(std::move(below)) {
  if (below_.empty())
    return;
  if (!below_.ends_with('/'))
    below_ += '/';
  if (const int descriptor = ::open(below_.c_str(), open_flags | O_DIRECTORY); descriptor >= 0)
    below_opened_ = std::make_shared<const binary::OpenFile>(descriptor);
}

std::optional<WalkEntry> Walk::next() {
  for (;;) {
    std::optional<WalkEntry> found;
    if (levels_.empty()) {
      if (next_root_ == roots_.size())
        return std::nullopt;
      found = start_root();
    } else if (Level& level = levels_.back(); level.next == level.names.size()) {
      levels_.pop_back();
    } else {
      WalkEntry entry;
      entry.name = level.names[level.next++];
      entry.path = level.path + entry.name;
      entry.file = root_ + entry.path;
      entry.directory = level.directory;
      found = visit(std::move(entry));
    }
    if (found)
      return found;
  }
}

std::optional<WalkEntry> Walk::start_root() {
  WalkEntry entry;
  entry.path = entry.file = entry.name = roots_[next_root_++];
  if (below_opened_ && entry.file.size() > below_.size() && entry.file.starts_with(below_)) {
    root_ = below_;
    entry.path = entry.name =
        entry.file.substr(std::min(entry.file.find_first_not_of('/', below_.size()), entry.file.size()));
    entry.directory = below_opened_;
    return visit(std::move(entry));
  }
  root_ = entry.file.ends_with('/') ? entry.file : entry.file + '/';
  return visit(std::move(entry));
}

std::optional<WalkEntry> Walk::visit(WalkEntry entry) {
  struct stat status {};
  if (::fstatat(place_of(entry), entry.name.c_str(), &status, no_follow(entry, AT_SYMLINK_NOFOLLOW)) != 0) {
    std::string reason = errno == ENOENT ? absence(entry) : binary::system_reason();
    return unreadable(std::move(entry), std::move(reason));
  }
  if (S_ISDIR(status.st_mode))
    return descend(std::move(entry));
  if (S_ISLNK(status.st_mode)) {
    entry.kind = WalkEntry::Kind::symlink;
    auto target = target_of(entry);
    if (!target)
      return unreadable(std::move(entry), target.error().message);
    entry.link_target = *std::move(target);
    return entry;
  }
  if (!S_ISREG(status.st_mode))
    return unreadable(std::move(entry), "it is " + std::string(kind_name(status.st_mode)));
  entry.size = static_cast<std::uint64_t>(status.st_size);
  if (status.st_nlink > 1) {
    const auto [first, is_new] = linked_.try_emplace({status.st_dev, status.st_ino}, entry.path);
    if (!is_new)
      entry.hard_link_of = first->second;
  }
  return entry;
}

std::optional<WalkEntry> Walk::descend(WalkEntry entry) {
  const int descriptor =
      ::openat(place_of(entry), entry.name.c_str(), open_flags | O_DIRECTORY | no_follow(entry, O_NOFOLLOW));
  if (descriptor < 0)
    return unreadable(std::move(entry), "the directory cannot be opened: " + binary::system_reason());
  auto directory = std::make_shared<const binary::OpenFile>(descriptor);
  auto names = names_in(descriptor);
  if (!names)
    return unreadable(std::move(entry), "the directory cannot be read: " + names.error().message);
  levels_.push_back(
      {std::move(directory), entry.directory ? entry.path + '/' : std::string(), *std::move(names)});
  return std::nullopt;
}

} // namespace hostpin::leak
