// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// Whether another file may take a file's place without anything getting lost: an error says that it has
/// several names, set-id bits, capabilities or an access control list, or cannot be read.
Result<void> replaceable(const std::string& file);

/// The same, and that it is not of what was taken over: `vendor`, normalised.
Result<void> may_replace(const std::string& file, const std::vector<std::string>& vendor);

/// A copy with the owner and permissions of its original, in the same directory; gone with this object unless
/// it took the original's place.
class FileCopy {
public:
  static Result<FileCopy> beside(const std::string& file);

  FileCopy(FileCopy&& other) noexcept;
  FileCopy(const FileCopy&) = delete;
  FileCopy& operator=(const FileCopy&) = delete;
  FileCopy& operator=(FileCopy&&) = delete;
  ~FileCopy();

  const std::string& path() const { return path_; }
  /// Gives the copy another content.
  Result<void> write(std::string_view bytes) const;
  /// At once: whoever opens the file meanwhile has one or the other, whole.
  Result<void> take_place() const;

private:
  FileCopy(std::string file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  std::string file_, path_;
};

} // namespace hostpin
