// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/judge/judge.hpp"
#include "hooks/lto-check/judge/rules.hpp"

#include <string>

namespace hostpin::lto {

/// The producer of a stream, in short: `GCC 12.2.0`, `LLVM 19.1.7-rust-1.95.0-stable`, `CUDA 12.4`; if the
/// stream does not name it, those that are known to write its version.
std::string producer_name(const Bitstream& stream, const StreamReleases& releases);

/// The version of a stream, as it is compared: `LTO 11.3`, `LLVM 19`, `LTO-IR 1.61`; empty when unknown.
std::string stream_version(const Bitstream& stream);

/// The linker in short: `/usr/bin/ld (GNU ld 2.40)`.
std::string linker_name(const Linker& linker);

/// The compiler that the linker calls: `GCC 12.2.0`, or `GCC with LTO 12.0` if its name is not known.
std::string gcc_name(const GccReader& reader);

/// How to fix a stream that does not fit, for people; never empty.
std::string fix(const Bitstream& stream, Treatment treated, const LinkContext& context);

/// The same for host halves of several .cu files in one link.
std::string device_label_fix(const Bitstream& stream, const LinkContext& context);

} // namespace hostpin::lto
