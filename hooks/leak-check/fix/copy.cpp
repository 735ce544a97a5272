// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/copy.hpp"

#include "hooks/leak-check/policy/policy.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace hostpin {

namespace {

tl::unexpected<Error> failed(const std::string& what) {
  return failure(what + ": " + std::generic_category().message(errno),
                 "run it as whoever may write the tree");
}

/// Its bytes are to be there before the name is, so that no crash leaves a half file under it.
bool is_on_disk(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && ::fsync(descriptor) == 0;
  return descriptor >= 0 && ::close(descriptor) == 0 && synced;
}

} // namespace

Result<void> replaceable(const std::string& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0)
    return failed("it cannot be read");
  if (!S_ISREG(status.st_mode))
    return failure("it is no regular file", "build it anew");
  if (status.st_nlink > 1)
    return failure("it has several names (hard links)", "build it anew");
  if ((status.st_mode & (S_ISUID | S_ISGID)) != 0)
    return failure("it has set-id bits", "build it anew");
  if (::lgetxattr(file.c_str(), "security.capability", nullptr, 0) > 0)
    return failure("it has capabilities", "build it anew");
  if (::lgetxattr(file.c_str(), "system.posix_acl_access", nullptr, 0) > 0)
    return failure("it has an access control list", "build it anew");
  return {};
}

Result<void> may_replace(const std::string& file, const std::vector<std::string>& vendor) {
  if (is_below(file, vendor))
    return failure("it was taken over as it came", "mend it by hand, or build it anew");
  return replaceable(file);
}

Result<FileCopy> FileCopy::beside(const std::string& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0)
    return failed("it cannot be read");
  std::string path = file + ".hostpin-XXXXXX";
  const int descriptor = ::mkstemp(path.data());
  if (descriptor < 0)
    return failed("no copy can be made beside it");
  ::close(descriptor);
  FileCopy copy(file, std::move(path), Identity::of(status));
  std::error_code error;
  std::filesystem::copy_file(file, copy.path_, std::filesystem::copy_options::overwrite_existing, error);
  if (error)
    return failure("no copy can be made beside it: " + error.message(),
                   "run it as whoever may write the tree");
  // patchelf writes into the file, which a read-only one does not allow
  if (::chown(copy.path_.c_str(), status.st_uid, status.st_gid) != 0 ||
      ::chmod(copy.path_.c_str(), (status.st_mode | S_IWUSR) & 07777U) != 0)
    return failed("a copy cannot have its owner");
  return copy;
}

FileCopy::FileCopy(FileCopy&& other) noexcept
    : file_(std::move(other.file_)), path_(std::exchange(other.path_, {})), original_(other.original_) {}

FileCopy::Identity FileCopy::Identity::of(const struct stat& status) {
  constexpr std::int64_t billion = 1'000'000'000;
  return {status.st_ino, status.st_size, status.st_mtim.tv_sec * billion + status.st_mtim.tv_nsec};
}

FileCopy::~FileCopy() {
  if (!path_.empty())
    ::unlink(path_.c_str()); // nothing is there any more once it took the place
}

Result<void> FileCopy::write(std::string_view bytes) const {
  const int descriptor = ::open(path_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (descriptor < 0)
    return failed("a copy cannot be written");
  bool whole = true;
  while (whole && !bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    whole = count > 0 || (count < 0 && errno == EINTR);
    bytes.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
  }
  if (::close(descriptor) != 0 || !whole)
    return failed("a copy cannot be written");
  return {};
}

Result<void> FileCopy::take_place() const {
  struct stat status {};
  if (::stat(file_.c_str(), &status) != 0)
    return failed("it cannot be read");
  if (Identity::of(status) != original_)
    return failure("it was written to meanwhile", "scan it again");
  if (::chmod(path_.c_str(), status.st_mode & 07777U) != 0 || !is_on_disk(path_) ||
      std::rename(path_.c_str(), file_.c_str()) != 0)
    return failed("a copy cannot take its place");
  return {};
}

} // namespace hostpin
