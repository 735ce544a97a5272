// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/binary/blob.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// A member of a zip, as its headers describe it.
struct ZipEntry {
  std::string name;
  std::uint64_t size = 0; ///< decompressed, in bytes
  std::int64_t modified =
      0; ///< seconds since the epoch, as if the member's local time were that of this machine
  bool is_directory = false;
};

/// Reads the members of a zip one after another, by its central directory; zip64 too. Several readers may
/// read the same file at once, each in a thread.
class ZipReader {
public:
  /// The error says why it is not a zip that can be read: it is cut short, or no zip.
  static Result<std::unique_ptr<ZipReader>> open(const binary::Blob& zip);
  ZipReader(const ZipReader&) = delete;
  ZipReader& operator=(const ZipReader&) = delete;
  ~ZipReader();

  /// Nothing after the last one. An error for damage, and for what no installer unpacks: links, encrypted
  /// members, and names that are absolute, contain `..` or are not plain paths.
  Result<std::optional<ZipEntry>> next();
  /// The next bytes of the current member; 0 at its end, where its size and CRC are verified.
  Result<std::size_t> read(std::span<char> into);

private:
  struct State;
  explicit ZipReader(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// A member as the central directory has it.
struct DirectoryEntry {
  std::string name;
  std::uint64_t offset = 0; ///< of its local header
  std::uint64_t packed = 0; ///< compressed bytes
  std::uint64_t size = 0;   ///< decompressed
  std::uint32_t crc = 0;
  unsigned method = 0;        ///< 0: stored, 8: deflate
  bool is_executable = false; ///< by its Unix mode
  bool is_utf8 = false;       ///< the name's encoding is given as UTF-8, which is also that of ASCII
};

/// Reads the central directory, zip64 too, which is what installers go by: a reader that finds other members
/// does not see what they see. An error if there is none, if it is damaged or has a name that cannot be
/// installed, if a member's own header has another name or method of compression, which some readers go by,
/// or if members overlap, as in zips that expand without end. In the order of the offsets.
Result<std::vector<DirectoryEntry>> central_directory(const binary::Blob& zip);

/// Whether a member's name can be installed: relative, without empty, `.` and `..` components, backslashes
/// and control characters. A directory's name ends with a slash.
bool is_installable_name(std::string_view name);

} // namespace hostpin
