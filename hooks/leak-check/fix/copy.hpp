// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/fix/place.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/binary/blob.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct stat;

namespace hostpin {

/// Whether another file may take a file's place without anything getting lost: an error says that it has
/// several names, set-id bits, an access control list, capabilities or other attributes, or cannot be read,
/// or is of what was taken over: `vendor`, normalised.
Result<void> may_replace(const FixPlace& place, const std::vector<std::string>& vendor);

/// What is to take a file's place: a file in the same directory that has no name until then, so that nobody
/// can put another in its place, and nothing is left behind however this process ends. Where the file system
/// has no such files, it has a name for as long as it takes to write it.
class FileCopy {
public:
  /// An error where `may_replace` says so, and in a directory where others can exchange files. It has the
  /// original's bytes.
  static Result<FileCopy> beside(const FixPlace& place);

  /// Where this process and its children, and nobody else, can open it; it needs a mounted /proc.
  std::string path() const;
  /// Gives the copy another content.
  Result<void> write(std::string_view bytes) const;
  /// With the owner and permissions of the original, and at once: whoever opens the file meanwhile, or after
  /// a crash, has one or the other, whole. An error when the original was written to since, or is another.
  Result<void> take_place() const;

private:
  using Descriptor = std::shared_ptr<const OpenFile>;

  /// Of the original when it was opened.
  struct Identity {
    std::uint64_t device = 0, inode = 0;
    std::int64_t size = 0;
    std::int64_t modified = 0, changed = 0; ///< nanoseconds since the epoch

    static Identity of(const struct stat& status);
    bool operator==(const Identity&) const = default;
  };

  FileCopy(Descriptor directory, std::string name, Descriptor copy, bool can_be_named)
      : directory_(std::move(directory)), name_(std::move(name)), copy_(std::move(copy)),
        can_be_named_(can_be_named) {}

  Result<void> named(const std::string& temporary) const;
  Result<void> finished(int descriptor) const;

  Descriptor directory_;
  std::string name_; ///< in it
  Descriptor copy_;
  bool can_be_named_; ///< by a link; otherwise its bytes are copied
  Identity original_;
  std::uint32_t owner_ = 0, group_ = 0, mode_ = 0;
};

} // namespace hostpin
