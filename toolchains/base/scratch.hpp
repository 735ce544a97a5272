// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/result.hpp"

#include <string>

namespace hostpin {

/// A directory with an unpredictable name that only this user can access; the destructor removes it with its
/// content.
class ScratchDirectory {
public:
  /// Creates it in an existing directory. The error has a hint if that cannot be written.
  static Result<ScratchDirectory> make(const std::string& parent);
  /// In $TMPDIR, else in /tmp.
  static Result<ScratchDirectory> make(const Environment& environment);

  ScratchDirectory(ScratchDirectory&& other) noexcept;
  ScratchDirectory& operator=(ScratchDirectory&&) = delete;
  ~ScratchDirectory();

  const std::string& path() const { return path_; }

private:
  explicit ScratchDirectory(std::string path);
  std::string path_;
};

} // namespace hostpin
