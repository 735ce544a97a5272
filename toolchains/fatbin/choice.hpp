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
  newer_pack, ///< it is compressed in a way that is newer than the driver, which does not select a bundle
              ///< then
  switched,   ///< CUDA_FORCE_PTX_JIT or CUDA_DISABLE_PTX_JIT excludes it
  never,      ///< LTO-IR, which only a link reads, and kinds that are not known
};

/// Whether the driver compiles: only if there is no machine code, always (CUDA_FORCE_PTX_JIT=1), or never
/// (CUDA_DISABLE_PTX_JIT=1).
enum class Jit { as_needed, forced, disabled };

struct ChoiceTerms {
  const std::vector<gpus::Gpu>& gpus;
  gpus::Capability gpu;                 ///< of the GPU; its variant does not matter
  std::optional<gpus::Driver> driver{}; ///< without one, a driver that reads everything
  Jit jit = Jit::as_needed;
};

struct Choice {
  /// What the driver selects, whether or not it can load it: it selects by capability alone, and PTX that is
  /// too new for it is an error at the launch even if there is older PTX in the fatbin.
  std::optional<std::size_t> selected;
  std::optional<std::size_t> entry; ///< the same if it can be loaded; nothing means an error at the launch
  std::vector<Fit> fits;            ///< for each entry, why it can or cannot be loaded
};

using Entries = std::vector<binary::EmbeddedCode>;

/// What the NVIDIA driver loads of the entries of one fatbin: machine code rather than PTX, of the highest
/// capability, `a` and `f` variants before others of the same capability, and the first of several; of PTX
/// for the GPU's own capability without a variant the last. If it selects nothing in the fatbin of a wrapper
/// of version 2, as a device link writes it, it links what it selects of each object in the wrapper's list,
/// which may be relocatable machine code or PTX, and never LTO-IR. All of this is compared with the launches
/// in tests/unit/toolchains/fatbin/launches.txt.
Choice choice(const Entries& entries, const ChoiceTerms& terms);

} // namespace hostpin::fatbin
