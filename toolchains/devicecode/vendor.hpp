// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"
#include "toolchains/binary/elf.hpp"

#include <optional>
#include <string>

namespace hostpin::devicecode {

/// The name of the library of NVIDIA's that this file is, such as `libcublas.so.13`, by its SONAME or by the
/// versions that it defines, which a renamed copy still has. The licence of these libraries forbids changing
/// them.
std::optional<std::string> nvidia_library(const binary::Bytes& file);
/// The same of what was read of a file already.
std::optional<std::string> nvidia_library(const binary::SharedObject& library);

} // namespace hostpin::devicecode
