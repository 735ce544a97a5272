// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/judge/world.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/binary/blob.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct stat;

namespace hostpin::leak {

/// The location of a file that may be changed. Its directory is held open and cannot be exchanged.
struct FixPlace {
  std::string path; ///< in `World::files`, symlinks resolved
  std::shared_ptr<const binary::OpenFile> directory;
  std::string name; ///< in it
  std::string file; ///< path by which this process can read it
};

/// The place of a scanned file. If a staged tree is judged, symlinks are resolved as after the install; an
/// error if the file is outside the tree, where nothing is opened.
Result<FixPlace> fix_place(const std::string& file, const World& world);

/// Opens a directory in that root, component by component; `path` begins with a slash. nullptr if a component
/// has become a symlink.
std::shared_ptr<const binary::OpenFile> open_below(const std::string& root, const std::string& path);

/// Whether another file may replace a file without losing anything: an error if the file has several names,
/// set-id bits, an access control list, capabilities or other attributes, cannot be read, or is a vendor
/// file. `vendor` is normalised.
Result<void> may_replace(const FixPlace& place, const std::vector<std::string>& vendor);

/// A copy that is to replace a file: a file in the same directory without a name, so that nobody can exchange
/// it, and nothing remains however this process ends. On file systems without such files it has a name while
/// it is written.
class FileCopy {
public:
  /// A copy with the original's bytes. An error if `may_replace` returns one, and in a directory where others
  /// can exchange files.
  static Result<FileCopy> next_to(const FixPlace& place);

  /// A path by which only this process and its children can open it; needs a mounted /proc.
  std::string path() const;
  /// Replaces the original, with its owner and permissions, atomically: anybody who opens the file meanwhile,
  /// or after a crash, gets one of the two, complete. An error if the original has changed since.
  Result<void> replace_original() const;

private:
  using Descriptor = std::shared_ptr<const binary::OpenFile>;

  /// Stamp of the original when it was opened.
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

} // namespace hostpin::leak
