// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/libc/clashes.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/terminal.hpp"

#include <cstdint>
#include <string>

namespace hostpin {

struct LibcAnswer {
  Comparison comparison;
  std::int64_t asked = 0; ///< when reading began, in nanoseconds since the epoch
};

/// As README.md describes it.
std::string libc_json(const LibcAnswer& answer, const Files& files);

/// As text: each function, both locations, and what each promises.
std::string libc_text(const LibcAnswer& answer, const Terminal& terminal = endless);

} // namespace hostpin
