// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/binary/blob.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hostpin::binary {

/// A part of a new file: bytes of the file that it is made from, other bytes, or zeros.
struct Piece {
  std::optional<std::uint64_t> from; ///< offset in the source; nothing: `bytes`, or zeros if there are none
  std::uint64_t size = 0;
  std::string bytes; ///< empty or `size` of them

  static Piece of(std::uint64_t from, std::uint64_t size) { return {from, size, {}}; }
  static Piece of(std::string bytes) {
    const std::uint64_t size = bytes.size();
    return {std::nullopt, size, std::move(bytes)};
  }
  static Piece zeros(std::uint64_t size) { return {std::nullopt, size, {}}; }
};

/// The least multiple of `unit`, which is not 0, that is not below `value`.
constexpr std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::uint64_t size_of(const std::vector<Piece>& pieces);

/// Writes the pieces one after another to a file, from its offset on. The memory used does not depend on
/// their sizes. The error is a reason, such as `No space left on device`, or that the source was written to
/// meanwhile.
Result<void> write_pieces(const Blob& source, const std::vector<Piece>& pieces, int descriptor);

} // namespace hostpin::binary
