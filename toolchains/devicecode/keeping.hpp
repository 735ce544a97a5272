// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"
#include "toolchains/binary/fatbin.hpp"
#include "toolchains/gpus/expansion.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace hostpin::devicecode {

/// Which PTX stays for GPUs that are not listed. A listed GPU that only PTX serves keeps that PTX as well,
/// unless none is to stay.
enum class PtxPolicy {
  newest, ///< the PTX of the highest capability, which serves the most later GPUs
  needed, ///< none
  none,   ///< none, nor the PTX of a listed GPU
  all,
};

/// What to keep of device code.
struct Keeping {
  const std::vector<gpus::Gpu>& gpus;   ///< all that are known
  std::vector<gpus::GpuTarget> targets; ///< the listed ones
  PtxPolicy ptx = PtxPolicy::newest;
};

/// What reads the device code next. LTO-IR serves a link, never the driver, which links only machine code and
/// PTX of the objects when a program starts (launches.txt: `linked`).
enum class CodeReader {
  link,   ///< of an object, an archive, a file of fatbins
  driver, ///< of a program or a shared library
};

/// What stays of one fatbin.
struct Kept {
  std::vector<bool> entries;                ///< for each entry, whether it stays
  std::vector<gpus::Capability> unserved{}; ///< listed GPUs that nothing that stays runs on
  std::vector<gpus::Capability> lost{};     ///< of them, those that something runs on that does not stay

  std::size_t count() const;
};

/// Selects what stays: for each listed GPU all machine code of the capability that the NVIDIA driver would
/// load, with its `a` and `f` variants, because a fatbin can have several pieces of it; PTX as the policy and
/// the list require; for a link LTO-IR of the highest capability that is not above the GPU's; a bundle with
/// any of these; and whatever is not known.
Kept kept(const std::vector<binary::EmbeddedCode>& entries, const Keeping& keeping, CodeReader reader);

/// Whether nothing in a fatbin can run on any GPU because its pieces have no functions, as nvcc writes them
/// for sources without kernels: then nothing is missing for any GPU. False for an empty one. The offsets of
/// `entries` are those in `bytes`.
bool is_idle(const std::vector<binary::EmbeddedCode>& entries, const binary::Bytes& bytes);

} // namespace hostpin::devicecode
