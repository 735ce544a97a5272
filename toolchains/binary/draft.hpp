// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <string>

namespace hostpin::binary {

/// A file that is written, and that disappears unless it gets its path. Until then it has no name, so that
/// nothing is left of it if the process is killed, except where the file system or the lack of /proc requires
/// one, `PATH.XXXXXX`, and between two system calls if it replaces another file.
class Draft {
public:
  /// Next to `path`, with mode 0600.
  explicit Draft(const std::string& path);
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft();

  /// For writing and reading; negative, with errno set, if it could not be created.
  int descriptor() const { return descriptor_; }
  /// Gives it its path. The error names the path; then nothing is left of the file.
  Result<void> publish();

private:
  void create_named();
  Result<std::string> link_unnamed() const;
  tl::unexpected<Error> cannot_write() const;
  Result<void> withdraw() const;

  std::string path_, name_; ///< `name_`: empty while the file has none
  int descriptor_ = -1;
};

} // namespace hostpin::binary
