// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstdlib>
#include <lzma.h>
#include <string>

namespace hostpin::test {

/// The bytes, compressed.
inline std::string xz(const std::string& bytes) {
  std::vector<std::uint8_t> out(lzma_stream_buffer_bound(bytes.size()));
  std::size_t size = 0;
  if (lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, nullptr,
                              reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), out.data(),
                              &size, out.size()) != LZMA_OK)
    std::abort();
  return {out.begin(), out.begin() + static_cast<std::ptrdiff_t>(size)};
}

} // namespace hostpin::test
