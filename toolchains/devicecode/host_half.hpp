// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/devicecode/image.hpp"

#include <functional>
#include <string>

namespace hostpin::devicecode {

/// Receives where and how two files differ.
using DifferenceVisitor = std::function<void(const std::string& where, const std::string& what)>;

/// Compares what two ELF files contain besides device code and what points to it. Of linked files that is the
/// memory that the loader makes of them, byte for byte, without the headers of the file; of objects each
/// section that is loaded, with its relocations. Damage if a file cannot be read.
binary::Reading<bool> compare_host_halves(const binary::Bytes& before, const Image& in_before,
                                          const binary::Bytes& after, const Image& in_after,
                                          const DifferenceVisitor& visit);

} // namespace hostpin::devicecode
