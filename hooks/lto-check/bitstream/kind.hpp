// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/bitstream/bytes.hpp"
#include "hooks/lto-check/bitstream/damage.hpp"

namespace hostpin {

/// What an input that is no archive is by its first bytes.
enum class InputKind { object, bitcode, fatbin, ltoir, other };

/// Damage when it is an empty file, or ends within the magic of one of these.
Reading<InputKind> input_kind(const Bytes& input);

} // namespace hostpin
