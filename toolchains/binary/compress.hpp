// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <string>
#include <string_view>

namespace hostpin::binary {

/// One zstd frame, which gives the size of its content. `level`: as in zstd.h, 1 to 22. The error says that
/// there is too little memory.
Result<std::string> zstd_frame(std::string_view bytes, int level);

/// One LZ4 block without a frame, by hostpin's own encoder, which takes the first match that it finds.
std::string lz4_block(std::string_view bytes);

} // namespace hostpin::binary
