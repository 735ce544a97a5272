// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/bitstream/bytes.hpp"
#include "hooks/lto-check/bitstream/damage.hpp"
#include "toolchains/fatbin/heads.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace hostpin {

/// One piece of device code in a fatbin; head and payload lie within it.
struct EmbeddedCode : DeviceCodeHead {
  std::uint64_t at = 0; ///< where its head begins in the bytes that were read
};

/// Visits the fatbins of a section or file, which stand one after another, each as its entries. Only their
/// heads are read, so that no code need be decompressed. The visitor says whether to go on.
Reading<bool> each_fatbin(const Bytes& bytes,
                          const std::function<Reading<bool>(const std::vector<EmbeddedCode>&)>& visit);

} // namespace hostpin
