// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"

#include <string>

namespace hostpin::binary {

/// Whether a file, or a member of an archive, holds intermediate code, or cannot be read so far that one
/// could tell: whether `scan_lto_input` has something to say of it. Looks at headers only and stops at the
/// first, for the static hot path: no LLVM and no decompression.
bool may_hold_lto(const std::string& path);

/// The same of one input that is no archive.
bool may_hold_lto(const Bytes& input);

} // namespace hostpin::binary
