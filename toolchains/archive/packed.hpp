// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/archive/zip.hpp"

#include <cstdint>
#include <string>

namespace hostpin {

/// A member's bytes as a zip stores them.
struct PackedData {
  binary::Blob bytes;
  std::uint64_t size = 0; ///< decompressed
  std::uint32_t crc = 0;
  bool is_deflated = false; ///< else stored
};

/// Those of a member. The error says that its header is not where the directory says, or that it is
/// compressed by another method, which not every installer knows.
Result<PackedData> packed_data(const binary::Blob& zip, const DirectoryEntry& entry);

/// Decompressed: in memory up to 1 MB, else in a file without a name in that directory. Its size and CRC are
/// verified.
Result<binary::Blob> decompressed(const PackedData& data, const std::string& scratch);

} // namespace hostpin
