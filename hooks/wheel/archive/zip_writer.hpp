// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/archive/packed.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/binary/blob.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::wheel {

/// How a member is described to installers.
struct ZipMember {
  std::string name; ///< UTF-8
  bool is_executable = false;
};

struct Compression {
  int level = 6; ///< zlib's, 1 to 9; 0 stores
  unsigned threads = 1;
};

/// Writes a zip whose bytes depend on nothing but its members: not on the machine, its time zone, the user's
/// umask or the number of threads. libarchive, which reads zips here, writes neither members that are
/// compressed already nor headers without the sizes of what follows. Errors are reasons, such as `No space
/// left on device`.
class ZipWriter {
public:
  /// Writes from the offset of an open file on, which can seek. `modified`: seconds since the epoch, the time
  /// of all members in UTC; zip has 1980 to 2107 and even seconds.
  ZipWriter(int descriptor, std::int64_t modified);

  /// Adds a member with the bytes that another zip has.
  Result<void> copy(const ZipMember& member, const PackedData& data);
  /// Compresses a member. `see` gets its content, in order.
  Result<void> compress(const ZipMember& member, const binary::Blob& content, const Compression& how,
                        const std::function<void(std::string_view)>& see);
  /// Writes the central directory.
  Result<void> finish();

private:
  struct Written {
    ZipMember member;
    std::uint64_t offset = 0, packed = 0, size = 0;
    std::uint32_t crc = 0;
    bool is_deflated = false;

    bool is_wide() const;
  };

  Result<void> begin(const Written& entry);
  Result<void> write(std::string_view bytes);
  Result<void> deflate(const binary::Blob& content, const Compression& how,
                       const std::function<void(std::string_view)>& see, Written& entry);
  std::string fields(const Written& entry, std::size_t extra) const;
  std::string directory_entry(const Written& entry) const;
  std::string end_records(std::uint64_t directory_size) const;

  int descriptor_;
  std::uint64_t offset_ = 0, date_ = 0;
  std::vector<Written> entries_;
};

} // namespace hostpin::wheel
