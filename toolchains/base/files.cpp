// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/files.hpp"

#include "toolchains/base/ancestors.hpp"
#include "toolchains/base/reading.hpp"
#include "toolchains/base/system_call.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace hostpin {

namespace {

std::string reason(int error) {
  return std::generic_category().message(error);
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

FileStatus::Kind kind_of(mode_t mode) {
  if (S_ISREG(mode))
    return FileStatus::Kind::regular;
  return S_ISDIR(mode) ? FileStatus::Kind::directory : FileStatus::Kind::other;
}

} // namespace

void DiskFiles::note(const char* doing, const std::string& path) const {
  const int error = errno;
  if (trouble_ == Trouble::thrown && is_trouble(error))
    throw std::system_error(error, std::generic_category(), std::string("cannot ") + doing + ' ' + path);
  errno = error;
}

std::optional<FileStatus> DiskFiles::status(const std::string& path) const {
  struct stat data {};
  if (::stat(path.c_str(), &data) != 0) {
    note("examine", path);
    return std::nullopt;
  }
  FileStatus status;
  status.kind = kind_of(data.st_mode);
  status.size = static_cast<std::uint64_t>(data.st_size);
  status.modified = nanoseconds(data.st_mtim);
  status.changed = nanoseconds(data.st_ctim);
  status.executable = (data.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0;
  return status;
}

std::string DiskFiles::exchangeable(const std::string& path) const {
  return exchangeable_by_others(path);
}

std::optional<std::string> DiskFiles::real_path(const std::string& path) const {
  const std::unique_ptr<char, decltype(&std::free)> resolved(::realpath(path.c_str(), nullptr), &std::free);
  if (!resolved) {
    note("examine", path);
    return std::nullopt;
  }
  return std::string(resolved.get());
}

std::vector<std::string> DiskFiles::entries(const std::string& directory) const {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, CloseDirectory> stream(::opendir(directory.c_str()));
  if (!stream) {
    note("list", directory);
    return names;
  }
  // Only errno distinguishes the end from a failure.
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(stream.get());
    if (entry == nullptr)
      break;
    const std::string_view name(entry->d_name);
    if (name != "." && name != "..")
      names.emplace_back(name);
  }
  if (errno != 0)
    note("list", directory);
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::string> DiskFiles::read(const std::string& path, std::size_t limit) const {
  // O_NONBLOCK: opening a FIFO where a file is expected must not wait for a writer.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) {
    note("open", path);
    return failure("cannot open " + path + ": " + reason(errno));
  }
  struct stat data {};
  if (::fstat(file.number(), &data) != 0)
    return failure("cannot read " + path + ": " + reason(errno));
  if (!S_ISREG(data.st_mode))
    return failure("cannot read " + path + ": it is not a regular file");
  // The size is only a hint: it is 0 in /proc.
  if (auto content = read_all(file.number(), limit, static_cast<std::size_t>(data.st_size)))
    return *std::move(content);
  if (errno == EFBIG)
    return failure("cannot read " + path + ": it is larger than " + std::to_string(limit) + " bytes");
  note("read", path);
  return failure("cannot read " + path + ": " + reason(errno));
}

bool is_directory(const Files& files, const std::string& path) {
  const auto status = files.status(path);
  return status && status->kind == FileStatus::Kind::directory;
}

namespace {

// The kernel updates file times at intervals of up to this many nanoseconds: a file that was just written can
// be written again without a new time.
constexpr std::int64_t tick = 20'000'000;
// Some file systems store whole seconds, or even ones: a file that was just written seems older there.
constexpr std::int64_t whole_second = 1'000'000'000;

} // namespace

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

FileStatus settled_status(const std::string& path, std::int64_t asked, const Files& files) {
  auto status = files.status(path);
  if (!status)
    return {};
  const bool coarse = status->modified > 0 && status->modified % whole_second == 0 &&
                      status->modified >= asked - 2 * whole_second;
  if (coarse || std::max(status->modified, status->changed) >= asked - tick)
    status->modified = unsettled;
  return *status;
}

} // namespace hostpin
