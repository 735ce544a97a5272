// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/setup/place.hpp"

#include "toolchains/base/os_error.hpp"
#include "toolchains/options/progress_line.hpp"
#include "wrapper/bind/store.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace hostpin::setup {

namespace fs = std::filesystem;

namespace {

constexpr auto own_names = std::to_array<std::string_view>(
    {record_name, work_name, lock_name, licenses_name, toolchain_name, "compilers", "cuda", "headers"});

/// The process that holds the lock, as it wrote it.
long holder(int descriptor) {
  std::array<char, 32> text{};
  const ssize_t count = pread(descriptor, text.data(), text.size() - 1, 0);
  return count > 0 ? std::strtol(text.data(), nullptr, 10) : 0;
}

void write_holder(int descriptor) {
  const std::string text = fmt::format("{}\n", getpid());
  if (ftruncate(descriptor, 0) == 0) // only for messages
    static_cast<void>(pwrite(descriptor, text.data(), text.size(), 0));
}

std::string existing_parent(const std::string& directory) {
  fs::path path = directory;
  std::error_code error;
  while (!fs::exists(path, error) && path.has_relative_path())
    path = path.parent_path();
  return path.string();
}

Result<void> check_execution(const std::string& directory) {
  struct statvfs status {};
  if (statvfs(directory.c_str(), &status) == 0 && (status.f_flag & ST_NOEXEC) != 0)
    return failure(
        fmt::format("programs cannot be run from {}: its file system is mounted noexec", directory),
        "name a directory on another file system");
  if (statvfs(directory.c_str(), &status) == 0 && (status.f_flag & ST_RDONLY) != 0)
    return tl::unexpected(write_error("set up", directory, EROFS));
  return {};
}

Result<Content> content_at(const std::string& here, const std::string& directory) {
  std::error_code error;
  bool is_empty = true, all_own = true;
  fs::directory_iterator entries(here, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    is_empty = false;
    all_own = all_own && std::ranges::find(own_names, name) != own_names.end();
  }
  if (error)
    return tl::unexpected(write_error("read", directory, error.value()));
  if (is_empty)
    return Content::empty;
  const bool is_marked =
      fs::exists(here + '/' + record_name, error) || fs::exists(here + '/' + work_name, error);
  return is_marked || all_own ? Content::own : Content::foreign;
}

Result<void> refuse_foreign(const Result<Content>& content, const std::string& directory) {
  if (!content)
    return tl::unexpected(content.error());
  if (*content == Content::foreign)
    return failure(directory + " holds files that are not of hostpin setup; nothing was written",
                   "name a new or an empty directory");
  return {};
}

/// Before anything is created by a name that leads elsewhere.
Result<void> check_name(const std::string& directory) {
  TRY(refuse_foreign(content_of(directory), directory));
  TRY(check_execution(existing_parent(directory)));
  return bind::nobody_else_writes_to(directory);
}

} // namespace

Error write_error(const std::string& doing, const std::string& path, int reason) {
  const bool denied = reason == EACCES || reason == EROFS || reason == EPERM;
  return os_failure(doing + " " + path, reason, denied ? "name a directory that you may write to" : "")
      .value();
}

Result<Content> content_of(const std::string& directory) {
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (status.type() == fs::file_type::not_found)
    return Content::absent;
  if (status.type() == fs::file_type::none)
    return tl::unexpected(write_error("read", directory, error.value()));
  if (status.type() != fs::file_type::directory)
    return failure(directory + " exists and is not a directory", "name a new or an empty directory");
  return content_at(directory, directory);
}

Result<Place> Place::prepare(const std::string& directory) {
  TRY(check_name(directory));
  std::error_code error;
  fs::create_directories(directory, error);
  if (error)
    return tl::unexpected(write_error("create", directory, error.value()));
  Place place(open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC), directory);
  if (place.descriptor_ < 0)
    return tl::unexpected(write_error("open", directory, errno));
  // Others may have been faster: the open directory is judged, and used from here on.
  TRY(place.check());
  TRY(refuse_foreign(content_at(place.here(), directory), directory));
  if (mkdirat(place.descriptor_, work_name, 0777) != 0 && errno != EEXIST)
    return tl::unexpected(write_error("create", directory + '/' + work_name, errno));
  return place;
}

Place::Place(Place&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

Place::~Place() {
  if (descriptor_ >= 0)
    close(descriptor_);
}

std::string Place::here() const {
  const std::string open = fmt::format("/proc/self/fd/{}", descriptor_);
  return access(open.c_str(), F_OK) == 0 ? open : path_; // without /proc the name has to do
}

Result<void> Place::check() const {
  return bind::nobody_else_writes_to(descriptor_, path_);
}

Result<FileLock> lock_directory(const Place& place, const std::function<void(long)>& waiting) {
  FileLock lock(openat(place.descriptor(), lock_name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (lock.descriptor() < 0)
    return tl::unexpected(write_error("create", place.path() + '/' + lock_name, errno));
  if (lock.take([&] { waiting(holder(lock.descriptor())); }) == 0)
    write_holder(lock.descriptor());
  return lock;
}

Result<void> check_space(const std::string& directory, std::uint64_t bytes) {
  std::error_code error;
  const fs::space_info space = fs::space(directory, error);
  if (error || space.available >= bytes)
    return {};
  return failure(fmt::format("{} is needed in {}, and its file system has {} free",
                             options::amount_text(bytes), directory, options::amount_text(space.available)),
                 "free space there, or name a directory on another file system");
}

void remove_tree(const std::string& directory) {
  std::error_code error;
  fs::remove_all(directory, error);
  if (!error)
    return;
  // Trees of archives are read-only.
  fs::recursive_directory_iterator entries(directory, error);
  fs::permissions(directory, fs::perms::owner_all, fs::perm_options::add, error);
  for (; entries != fs::recursive_directory_iterator(); entries.increment(error))
    if (entries->is_directory(error) && !entries->is_symlink(error))
      fs::permissions(entries->path(), fs::perms::owner_all, fs::perm_options::add, error);
  fs::remove_all(directory, error);
}

Result<void> replace_tree(const std::string& made, const std::string& final, const std::string& work) {
  std::error_code error;
  fs::create_directories(fs::path(final).parent_path(), error);
  const std::string former = work + "/former";
  remove_tree(former);
  if (rename(final.c_str(), former.c_str()) != 0 && errno != ENOENT)
    return tl::unexpected(write_error("replace", final, errno));
  if (rename(made.c_str(), final.c_str()) != 0)
    return tl::unexpected(write_error("create", final, errno));
  remove_tree(former);
  return {};
}

} // namespace hostpin::setup
