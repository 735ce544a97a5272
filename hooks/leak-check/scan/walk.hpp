// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/blob.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hostpin::leak {

/// Something in a tree that is not a directory.
struct WalkEntry {
  enum class Kind { file, symlink, unreadable };
  Kind kind = Kind::file;
  std::string path; ///< below the root, or as the root was named if it is a file
  std::string file; ///< root and path
  std::shared_ptr<const binary::OpenFile> directory; ///< that contains it; nothing for a root
  std::string name;                                  ///< in that directory
  std::optional<std::string> hard_link_of; ///< the path under which the same file was visited before
  std::uint64_t size = 0;                  ///< bytes of a file
  std::string link_target;                 ///< of a symlink
  std::string reason;                      ///< why it cannot be read: `Permission denied`, `it is a FIFO`

  /// Opens a file for reading. An error if something other than a file has replaced it; never blocks.
  Result<binary::Blob> open() const;
};

/// Walks trees, each directory in the order of its names as bytes. Symlinks below a root are not followed;
/// mount points are crossed. Every directory is opened relative to the one above it, so that renaming it or
/// replacing it by a symlink meanwhile does not lead out of the tree, and paths may be longer than PATH_MAX.
class Walk {
public:
  /// Roots that are, by their text, in the directory `below` are visited as if they were found in it: with
  /// their path below it, and not followed if they are symlinks.
  explicit Walk(std::vector<std::string> roots, std::string below = {});

  /// The next one; nothing at the end.
  std::optional<WalkEntry> next();

private:
  struct Level {
    std::shared_ptr<const binary::OpenFile> directory;
    std::string path; ///< below the root, with a slash at its end; empty for the root itself
    std::vector<std::string> names;
    std::size_t next = 0;
  };

  std::optional<WalkEntry> start_root();
  std::optional<WalkEntry> visit(WalkEntry entry);
  std::optional<WalkEntry> descend(WalkEntry entry);

  std::vector<std::string> roots_;
  std::string below_;                                    ///< with a slash at its end; may be empty
  std::shared_ptr<const binary::OpenFile> below_opened_; ///< nothing if it cannot be opened
  std::size_t next_root_ = 0;
  std::string root_; ///< with a slash at its end
  std::vector<Level> levels_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string>
      linked_; ///< files with several names, by device and inode
};

} // namespace hostpin::leak
