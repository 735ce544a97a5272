// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <cstdint>
#include <string_view>

namespace hostpin {

/// What the decoders of one file may keep at hand of what they have unpacked, all that are nested in it
/// together: how much that is, whoever packed it chose.
class Memory {
public:
  explicit Memory(std::uint64_t limit) : limit_(limit) {}

  std::uint64_t left() const { return limit_ - taken_; }

private:
  friend class Hold;
  std::uint64_t limit_;
  std::uint64_t taken_ = 0;
};

/// What one decoder has of it; given back when it goes.
class Hold {
public:
  /// Keeps a reference.
  explicit Hold(Memory& memory) : memory_(memory) {}
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  ~Hold() { memory_.taken_ -= bytes_; }

  /// Makes it that many bytes, where it is fewer; the error names the option that allows them.
  Result<void> reach(std::uint64_t bytes);

private:
  Memory& memory_;
  std::uint64_t bytes_ = 0;
};

/// `bytes` as --memory takes them, rounded up: `64M`.
std::string memory_text(std::uint64_t bytes);

/// What a frame of zstd keeps at hand, by its header; 0 for all else.
std::uint64_t zstd_window(std::string_view beginning);
/// How many bytes of a frame `zstd_window` looks at.
inline constexpr std::size_t zstd_header = 18;

/// The same of a member of a zip, by its compression as libarchive calls it, `lzma` or `ppmd-1`, and the
/// first bytes of its data; 0 for kinds that keep little, and for those that tell it later.
std::uint64_t zip_window(std::string_view compression, std::string_view beginning);

} // namespace hostpin
