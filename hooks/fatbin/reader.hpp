// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"
#include "toolchains/fatbin/holding.hpp"

namespace hostpin {

/// The kind of a file, as far as it may hold device code.
enum class CarrierKind { none, object, program, library, archive, fatbin, cubin, ptx, ltoir };

/// `object`, `program`, `shared library`, `archive`, `fatbin`, `cubin`, `PTX`, `LTO-IR`, `file`.
const char* to_string(CarrierKind kind);

/// Adds the device code of an input other than an archive. Only headers are read. After damage, everything
/// before it has been added.
binary::Reading<CarrierKind> read_device_code(const binary::Bytes& input, Holding& holding);

} // namespace hostpin
