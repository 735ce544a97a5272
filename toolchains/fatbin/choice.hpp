// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/fatbin.hpp"
#include "toolchains/gpus/compatibility.hpp"
#include "toolchains/gpus/drivers.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace hostpin::fatbin {

/// What the NVIDIA driver can do with one entry of a fatbin on one GPU.
enum class Fit {
  runs,       ///< it is machine code for this GPU
  compiles,   ///< it is PTX that the driver compiles for this GPU
  other_gpu,  ///< it is for other GPUs
  newer_ptx,  ///< its PTX ISA version is newer than the driver
  newer_pack, ///< it is compressed in a way that is newer than the driver
  never,      ///< LTO-IR, which only a link reads, and kinds that are not known
};

struct ChoiceTerms {
  const std::vector<gpus::Gpu>& gpus;
  gpus::Capability gpu;                 ///< of the GPU; its variant does not matter
  std::optional<gpus::Driver> driver{}; ///< without one, a driver that reads everything
};

struct Choice {
  std::optional<std::size_t> entry; ///< what is loaded; nothing if the GPU gets an error at the launch
  std::vector<Fit> fits;            ///< for each entry, why it is or is not loaded
};

/// What the NVIDIA driver loads of the entries of one fatbin. Machine code comes before PTX; of either, that
/// of the highest capability. The truth of this is a table of launches,
/// tests/unit/toolchains/fatbin/launches.hpp.
Choice choice(const std::vector<binary::EmbeddedCode>& entries, const ChoiceTerms& terms);

} // namespace hostpin::fatbin
