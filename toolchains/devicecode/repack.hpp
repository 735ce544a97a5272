// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/binary/bytes.hpp"
#include "toolchains/devicecode/slice.hpp"
#include "toolchains/fatbin/writer.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hostpin::devicecode {

struct Repacked {
  std::vector<std::string> fatbins;    ///< the new bytes of each, in the order of `DeviceContent::fatbins`
  std::uint64_t before = 0, after = 0; ///< bytes of all of them
  std::size_t entries = 0;             ///< those that the NVIDIA driver can load
  bool zstd = false;                   ///< one of these is compressed with zstd
  /// `speed` or `balance` would write machine code uncompressed that is compressed, and the result would be
  /// larger: there are no fatbins, since they may take ten times the memory.
  bool inflates = false;
};

/// The fatbins with their code compressed differently, except those that have to stay unchanged. The result
/// does not depend on the number of threads. The error says which entry is damaged.
Result<Repacked> repacked(const binary::Bytes& file, const DeviceContent& code,
                          fatbin::Compression compression, std::size_t threads);

} // namespace hostpin::devicecode
