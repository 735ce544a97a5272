// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"
#include "toolchains/binary/damage.hpp"

namespace hostpin::binary {

/// What an input that is no archive is by its first bytes.
enum class InputKind { object, bitcode, fatbin, ltoir, other };

/// Damage when it is an empty file, or ends within the magic of one of these.
Reading<InputKind> input_kind(const Bytes& input);

} // namespace hostpin::binary
