// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/bitstream/bytes.hpp"
#include "hooks/lto-check/bitstream/damage.hpp"

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace hostpin {

enum class DeviceCode { ptx, cubin, ltoir, other };

/// One piece of device code in a fatbin. Its version is that of what it is: of the PTX ISA, of the LTO-IR
/// container.
struct FatbinEntry {
  DeviceCode code = DeviceCode::other;
  std::uint32_t architecture = 0; ///< compute capability times ten
  std::uint32_t major = 0, minor = 0;
};

bool is_fatbin(std::string_view head);

/// Visits the fatbins of a section or file, which stand one after another, each as its entries. Only their
/// heads are read, so that no code need be decompressed. The visitor says whether to go on.
Reading<bool> each_fatbin(const Bytes& bytes,
                          const std::function<Reading<bool>(const std::vector<FatbinEntry>&)>& visit);

} // namespace hostpin
