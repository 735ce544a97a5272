// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"

#include <string>

namespace hostpin::binary {

/// Whether a file, or a member of an archive, contains intermediate code, or is too damaged to determine
/// that: whether `scan_lto_input` has to run. Reads only headers and stops at the first match, for the
/// launcher: no LLVM and no decompression.
bool may_hold_lto(const std::string& path);

/// The same for one input other than an archive.
bool may_hold_lto(const Bytes& input);

} // namespace hostpin::binary
