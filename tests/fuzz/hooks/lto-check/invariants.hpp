// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/bitstream/bitstream.hpp"
#include "toolchains/binary/kind.hpp"

#include <cstdlib>
#include <string_view>

namespace hostpin::test {

inline void require(bool holds) {
  if (!holds)
    std::abort();
}

inline void require_plausible(const lto::LtoInput& input, std::string_view bytes) {
  require(input.streams.size() <= 256 && input.streams.size() <= bytes.size());
  require(!input.unreadable || !input.unreadable->message.empty());
  for (const lto::Bitstream& stream : input.streams) {
    require(stream.producer.size() <= bytes.size());
    if (stream.format == lto::LtoFormat::gcc_lto)
      require(!stream.major || (*stream.major >= 1 && *stream.major <= 255 && stream.minor <= 0xffff));
    require(stream.major || stream.minor == 0);
    require(stream.architecture == 0 || stream.format == lto::LtoFormat::cuda_ltoir);
    require(!stream.slim || stream.format != lto::LtoFormat::llvm_fat);
  }
}

/// Scans bytes that are no thin archive, which would lead to files.
inline void scan(std::string_view bytes) {
  std::size_t inputs = 0;
  lto::scan_lto_bytes("x", bytes, lto::llvm_producer, [&](const lto::LtoInput& input) {
    require_plausible(input, bytes);
    if (!input.member.empty() || ++inputs > 1)
      return;
    const binary::InputFile file(bytes);
    if (!input.streams.empty() || input.unreadable)
      require(bytes.starts_with("!<") || binary::may_hold_lto(binary::Bytes(file)));
  });
}

} // namespace hostpin::test
