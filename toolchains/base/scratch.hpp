// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/result.hpp"

#include <string>

namespace hostpin {

/// A directory that only this user can look into and whose name nobody can guess; gone with everything in it
/// when this ends.
class ScratchDirectory {
public:
  /// In a directory that exists. The error says what to do when nothing can be made there.
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
