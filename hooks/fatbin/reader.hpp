// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"
#include "toolchains/binary/damage.hpp"
#include "toolchains/fatbin/holding.hpp"

namespace hostpin {

/// What a file is, as far as it may hold device code.
enum class CarrierKind { none, object, program, library, archive, fatbin, cubin, ptx, ltoir };

/// `object`, `program`, `shared library`, `archive`, `fatbin`, `cubin`, `PTX`, `LTO-IR`, `file`.
const char* to_string(CarrierKind kind);

/// Adds the device code of an input that is no archive. Only heads are read. After damage what came before
/// it has been added.
binary::Reading<CarrierKind> read_device_code(const binary::Bytes& input, Holding& holding);

} // namespace hostpin
