// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/compress.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>
#include <zstd.h>

namespace hostpin::binary {

Result<std::string> zstd_frame(std::string_view bytes, int level) {
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), level);
  if (ZSTD_isError(size) != 0)
    return failure(std::string("zstd cannot compress: ") + ZSTD_getErrorName(size));
  frame.resize(size);
  return frame;
}

namespace {

// lz4_Block_format.md of LZ4: a match has at least four bytes and begins at least twelve before the end; the
// last five bytes are literals.
constexpr std::size_t least_match = 4, last_match = 12, last_literals = 5, longest_distance = 0xFFFF;
constexpr unsigned hash_bits = 16;

std::uint32_t four_bytes(std::string_view bytes, std::size_t at) {
  std::uint32_t four = 0;
  std::memcpy(&four, bytes.data() + at, sizeof four);
  return four;
}

void put_rest_of_length(std::string& block, std::size_t length) {
  if (length < 15)
    return;
  for (length -= 15; length >= 255; length -= 255)
    block += '\xff';
  block += static_cast<char>(length);
}

/// `match`: its length beyond the least one.
void put_token(std::string& block, std::string_view literals, std::size_t match) {
  block +=
      static_cast<char>(std::min<std::size_t>(literals.size(), 15) << 4U | std::min<std::size_t>(match, 15));
  put_rest_of_length(block, literals.size());
  block += literals;
}

void put_match(std::string& block, std::string_view literals, std::size_t distance, std::size_t length) {
  put_token(block, literals, length - least_match);
  block += static_cast<char>(distance & 0xFFU);
  block += static_cast<char>(distance >> 8U);
  put_rest_of_length(block, length - least_match);
}

std::size_t match_length(std::string_view bytes, std::size_t earlier, std::size_t at) {
  const std::size_t end = bytes.size() - last_literals;
  std::size_t length = least_match;
  while (at + length < end && bytes[earlier + length] == bytes[at + length])
    ++length;
  return length;
}

} // namespace

std::string lz4_block(std::string_view bytes) {
  std::string block;
  std::size_t done = 0;
  std::vector<std::size_t> seen(std::size_t{1} << hash_bits, bytes.size()); // where four bytes occurred last
  for (std::size_t at = 0; at + last_match < bytes.size();) {
    const std::uint32_t four = four_bytes(bytes, at);
    std::size_t& slot = seen[four * 2654435761U >> (32 - hash_bits)]; // 2^32 / golden ratio
    const std::size_t earlier = slot;
    slot = at;
    if (earlier >= at || at - earlier > longest_distance || four_bytes(bytes, earlier) != four) {
      ++at;
      continue;
    }
    const std::size_t length = match_length(bytes, earlier, at);
    put_match(block, bytes.substr(done, at - done), at - earlier, length);
    done = at += length;
  }
  put_token(block, bytes.substr(done), 0);
  return block;
}

} // namespace hostpin::binary
