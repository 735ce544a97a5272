// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/draft.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/binary/blob.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace hostpin::binary {

Draft::Draft(const std::string& path) : path_(path) {
  // Only /proc can give an unnamed file a name without privileges.
  if (access("/proc/self/fd", X_OK) == 0)
    descriptor_ = open(directory_of(path).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor_ < 0)
    create_named();
}

Draft::~Draft() {
  if (descriptor_ >= 0)
    close(descriptor_);
  if (!name_.empty())
    unlink(name_.c_str());
}

Result<void> Draft::publish() {
  if (name_.empty()) {
    TRY_ASSIGN(const auto named, link_unnamed());
    if (named == path_) // there was no file: it never had another name
      return close(std::exchange(descriptor_, -1)) == 0 ? Result<void>() : withdraw();
    name_ = named;
  }
  // close reports what NFS and quotas deferred
  if (close(std::exchange(descriptor_, -1)) != 0 ||
      (!name_.empty() && rename(name_.c_str(), path_.c_str()) != 0))
    return cannot_write();
  name_.clear();
  return {};
}

void Draft::create_named() {
  name_ = path_ + ".XXXXXX";
  descriptor_ = mkostemp(name_.data(), O_CLOEXEC);
  if (descriptor_ < 0)
    name_.clear();
}

/// Gives the file its path, or, if something is there, a name next to it, and returns that. Linux cannot
/// replace a file by one without a name.
Result<std::string> Draft::link_unnamed() const {
  constexpr int most_names = 100;
  const std::string self = "/proc/self/fd/" + std::to_string(descriptor_);
  std::string name = path_;
  for (int number = 0; number <= most_names; ++number) {
    if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0)
      return name;
    if (errno != EEXIST)
      break;
    name = path_ + '.' + std::to_string(getpid()) + '.' + std::to_string(number);
  }
  return cannot_write();
}

tl::unexpected<Error> Draft::cannot_write() const {
  return failure("cannot write " + path_ + ": " + system_reason());
}

/// The file system reported only at the end that the content was not written.
Result<void> Draft::withdraw() const {
  const auto error = cannot_write();
  unlink(path_.c_str());
  return error;
}

} // namespace hostpin::binary
