// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/writing.hpp"

#include "toolchains/base/ancestors.hpp"
#include "toolchains/base/os_error.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace hostpin {

namespace {

/// A file under a unique name, removed again unless it was renamed to its final path.
class Draft {
public:
  explicit Draft(const std::string& final_path) : path_(final_path + ".XXXXXX") {
    descriptor_ = mkostemp(path_.data(), O_CLOEXEC);
    reason_ = errno;
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    if (descriptor_ >= 0) {
      close(descriptor_);
      unlink(path_.c_str());
    }
  }

  Result<void> finish(std::string_view content, mode_t mode, const std::string& final_path,
                      std::optional<std::int64_t> modified, bool on_disk = false) {
    if (descriptor_ < 0)
      return os_failure("create a file next to " + final_path, reason_);
    if (!write_all(descriptor_, content) || fchmod(descriptor_, mode) != 0)
      return os_failure("write " + final_path);
    if (modified) {
      constexpr std::int64_t second = 1'000'000'000;
      const timespec time{*modified / second, *modified % second};
      const std::array<timespec, 2> times{time, time};
      static_cast<void>(futimens(descriptor_, times.data()));
    }
    if (on_disk && fsync(descriptor_) != 0)
      return os_failure("write " + final_path);
    // close reports what NFS and quotas deferred
    if (close(std::exchange(descriptor_, -1)) != 0 || rename(path_.c_str(), final_path.c_str()) != 0) {
      const int reason = errno;
      unlink(path_.c_str());
      return os_failure("write " + final_path, reason);
    }
    return {};
  }

private:
  std::string path_;
  int descriptor_ = -1;
  int reason_ = 0;
};

} // namespace

bool write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = write(descriptor, content.data(), content.size());
    if (written <= 0 && !(written < 0 && errno == EINTR))
      return false;
    if (written > 0)
      content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Result<void> make_private_directories(const std::string& path) {
  std::string made;
  for (std::size_t at = 0; at != std::string::npos;) {
    at = path.find('/', at + 1);
    made = path.substr(0, at);
    const int refused = mkdir(made.c_str(), 0700) == 0 || errno == EEXIST ? 0 : errno;
    if (refused != 0 &&
        access(made.c_str(), F_OK) != 0) // mkdir may fail with EROFS or EACCES although the directory exists
      return os_failure("create " + made, refused);
  }
  struct stat status {};
  if (stat(path.c_str(), &status) != 0)
    return os_failure("examine " + path);
  if ((status.st_uid != geteuid() && status.st_uid != 0) || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return failure(path + " belongs to another user, or others may write to it",
                   "remove it, or name another cache in HOSTPIN_CACHE_DIR");
  return {};
}

Result<void> make_trusted_directories(const std::string& path) {
  return make_private_directories(path).and_then([&]() -> Result<void> {
    if (const std::string above = exchangeable_by_others(path); !above.empty())
      return failure(above + ", above " + path + ", belongs to another user, or others may write to it",
                     "name a directory below one that only you can write to");
    return {};
  });
}

void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) == -1)
      static_cast<void>(open("/", O_PATH)); // occupies the lowest free number
}

void print_error(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

Result<int> written_whole(const std::function<int()>& answer) {
  int code = 0, reason = 0;
  try {
    code = answer();
  } catch (const std::system_error& error) { // fmt throws it if writing to a stream fails
    if (std::ferror(stdout) == 0)
      throw;
    reason = error.code().value();
  }
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0)
    return code;
  if (errno != 0)
    reason = errno;
  return failure(std::string("the answer cannot be written: ") +
                     (reason != 0 ? std::strerror(reason) : "standard output accepted only part of it"),
                 "free disk space, or redirect standard output");
}

Result<void> replace_file(const std::string& path, std::string_view content, bool executable,
                          std::optional<std::int64_t> modified) {
  // Readable by all, writable by nobody else: the hot path refuses a plan that others may write.
  return Draft(path).finish(content, executable ? 0755 : 0644, path, modified);
}

Result<void> replace_private_file(const std::string& path, std::string_view content) {
  return Draft(path).finish(content, 0600, path, std::nullopt);
}

Result<void> replace_file_on_disk(const std::string& path, std::string_view content) {
  return Draft(path).finish(content, 0644, path, {}, true);
}

} // namespace hostpin
