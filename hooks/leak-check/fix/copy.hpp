// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct stat;

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
  /// At once: whoever opens the file meanwhile, or after a crash, has one or the other, whole. An error when
  /// the original was written to since.
  Result<void> take_place() const;

private:
  /// Of the original when it was copied.
  struct Identity {
    std::uint64_t inode = 0;
    std::int64_t size = 0;
    std::int64_t modified = 0; ///< nanoseconds since the epoch

    static Identity of(const struct stat& status);
    bool operator==(const Identity&) const = default;
  };

  FileCopy(std::string file, std::string path, Identity original)
      : file_(std::move(file)), path_(std::move(path)), original_(original) {}

  std::string file_, path_;
  Identity original_;
};

} // namespace hostpin
