// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"
#include "toolchains/devicecode/rewriting.hpp"
#include "toolchains/devicecode/slice.hpp"

#include <string>
#include <vector>

namespace hostpin::devicecode {

/// The file with new bytes for each fatbin, in the order of `DeviceContent::fatbins`. Of a linked file
/// nothing else moves: a section of fatbins that becomes larger moves to a new segment at the end. Damage, as
/// the end of a sentence about the file, if it cannot be changed safely. `more`: GPUs that the file has code
/// for now, for hostpin's note, if it has one.
binary::Reading<Rewriting> with_fatbins(const binary::Bytes& file, const DeviceContent& code,
                                        std::vector<std::string> fatbins,
                                        const std::vector<gpus::Capability>& more = {});

} // namespace hostpin::devicecode
