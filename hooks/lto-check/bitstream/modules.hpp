// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"

#include <functional>
#include <string_view>

namespace hostpin::lto {

/// Whether the bytes begin LLVM bitcode, raw or in its wrapper.
bool is_bitcode(std::string_view head);

/// Visits each module of bitcode with the bytes of its identification, a complete stream that LLVM can read:
/// empty if the module has none, as LLVM 3.7 and older wrote it. Only the headers of the outermost blocks are
/// read. The visitor returns whether to continue. Blocks that cannot be read separately are skipped, as LLVM
/// does.
binary::Reading<bool>
each_module(const binary::Bytes& bitcode,
            const std::function<binary::Reading<bool>(std::string_view identification)>& visit);

/// Whether bitcode is the host half of a .cu file, compiled for full LTO, by its names and flags: full LTO
/// cannot compile nvcc's assembly label `fatbinData` twice as one module. False if it cannot be read.
bool is_full_host_half(const binary::Bytes& bitcode);

} // namespace hostpin::lto
