// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/blob.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace hostpin::leak {

/// One member of a packed file, while it is being read. Its names are data: nothing is ever written there.
class PackedMember {
public:
  PackedMember() = default;
  PackedMember(const PackedMember&) = delete;
  PackedMember& operator=(const PackedMember&) = delete;
  virtual ~PackedMember() = default;

  /// As in the archive; for a file that is only compressed, its own name without that suffix, if it is known.
  virtual std::string name() const = 0;
  /// A symbolic link's target.
  virtual std::optional<std::string> link_target() const = 0;
  virtual bool is_file() const = 0;
  /// The next bytes; 0 at the end.
  virtual Result<std::size_t> read(std::span<char> into) = 0;
};

/// Opens gzip, xz, lzma, zstd and bzip2 files, tar in or without any of them, and zip; calls `visit` for each
/// member in order, until it returns false. A file that is compressed twice has one compressed member. The
/// error describes damage or an unsupported feature; members before it were visited. Dictionaries of more
/// than 1 GB in xz, and of more than 128 MB in lzma and zstd, are not supported.
Result<void> each_packed_member(const binary::Blob& packed, const std::function<bool(PackedMember&)>& visit);

/// Bytes that a decoder of an xz or lzma file has to buffer, by its first header; 0 for other formats, which
/// need at most 128 MB.
std::uint64_t declared_window(const binary::Blob& packed);

} // namespace hostpin::leak
