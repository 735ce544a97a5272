// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/bytes/blob.hpp"
#include "hooks/leak-check/packed/memory.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace hostpin {

/// One thing in a packed file, while it is being unpacked. Its names are data: nothing is ever written there.
class PackedMember {
public:
  PackedMember() = default;
  PackedMember(const PackedMember&) = delete;
  PackedMember& operator=(const PackedMember&) = delete;
  virtual ~PackedMember() = default;

  /// As it stands in the archive; of a file that is merely compressed, without the ending that says so, if it
  /// is known.
  virtual std::string name() const = 0;
  /// A symbolic link's target.
  virtual std::optional<std::string> link_target() const = 0;
  virtual bool is_file() const = 0;
  /// The next bytes; 0 at the end.
  virtual Result<std::size_t> read(std::span<char> into) = 0;
};

/// Opens gzip, xz, lzma, zstd and bzip2 files, tar in or without any of them, and zip; calls `visit` for each
/// member in order, while it says so. What is compressed twice is a member that is compressed. The error says
/// what is damaged or not supported, or that more memory is needed than there is; members before it were
/// told.
Result<void> unpack(const Blob& packed, Memory& memory, const std::function<bool(PackedMember&)>& visit);

} // namespace hostpin
