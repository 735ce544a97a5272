// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/binary/fatbin.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::fatbin {

/// How nvcc's -compress-mode compresses device code: `speed` and `balance` compress PTX, relocatable code and
/// code for a debugger, as LZ4 and as zstd; `size` compresses everything, as zstd of a high level.
enum class CompressMode { none, speed, balance, size };

struct Compression {
  CompressMode mode = CompressMode::none;
  bool all = false; ///< `speed` and `balance` compress all code, as with fatbinary's -compress-all
};

/// Reads the four names; nothing for anything else.
std::optional<CompressMode> compress_mode_named(std::string_view name);

/// The bytes of a fatbin of these entries. An entry is its header, the texts in it and the payload with its
/// padding, as they are in another fatbin.
std::string fatbin_of_entries(const std::vector<std::string_view>& entries);

/// An entry's device code, decompressed; PTX without its padding. An error if it is damaged or encrypted, as
/// compressed LTO-IR is.
Result<std::string> code_of_entry(std::string_view entry);

/// The entry with the same code, compressed differently. LTO-IR, which the driver never reads, and unknown
/// kinds of code are returned unchanged. An error if it is damaged.
Result<std::string> recompressed(std::string_view entry, Compression compression);

} // namespace hostpin::fatbin
