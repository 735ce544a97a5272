// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/bitstream/bitstream.hpp"
#include "toolchains/binary/inputs.hpp"

#include <string>
#include <string_view>

namespace hostpin::test {

using namespace lto;

/// `gcc-lto 13.1 slim [GCC: 13.3.0]`, with the architecture of device code as in `cuda-ltoir 1.61 slim sm_80
/// []`.
inline std::string told(const Bitstream& stream) {
  return std::string(to_string(stream.format)) + ' ' +
         (stream.major ? std::to_string(*stream.major) + '.' + std::to_string(stream.minor) : "-") +
         (stream.slim ? " slim" : " fat") +
         (stream.architecture != 0 ? " sm_" + std::to_string(stream.architecture) : "") + " [" +
         stream.producer + ']';
}

/// The streams of an input, then `!` and why it cannot be read (any further); `none` when there is nothing to
/// say.
inline std::string told(const LtoInput& input) {
  std::string text;
  for (const Bitstream& stream : input.streams)
    text += (text.empty() ? "" : "; ") + told(stream);
  if (input.unreadable)
    text += (text.empty() ? "!" : "; !") + input.unreadable->message;
  return text.empty() ? "none" : text;
}

/// Those of a file x.o with these bytes; members of archives each with their names.
inline std::string told(std::string_view bytes) {
  std::string text;
  scan_lto_bytes("x.o", bytes, llvm_producer, [&](const LtoInput& input) {
    if (!input.member.empty())
      text += (text.empty() ? "" : "; ") + to_string(binary::InputName{input.path, input.member}) + ": ";
    text += told(input);
  });
  return text;
}

} // namespace hostpin::test
