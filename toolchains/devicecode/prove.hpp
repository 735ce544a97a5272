// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/gpus/drivers.hpp"
#include "toolchains/gpus/gpus.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hostpin::devicecode {

struct ProofTerms {
  const std::vector<gpus::Gpu>& rows;
  std::vector<gpus::Capability> gpus; ///< to compare for; variants do not matter
  /// One driver. Without one, what drivers select is compared, which is the same for all, but not what they
  /// can read: zstd needs the driver of CUDA 12.4.
  std::optional<gpus::Driver> driver;
};

/// Something that a GPU, or the host, gets from the one file and not from the other.
struct Difference {
  std::string where;                   ///< `fatbin 3`, `the wrapper at 0x1238`, `a.o: fatbin 1`, `.text`
  std::optional<gpus::Capability> gpu; ///< nothing: the part for the host
  std::string what;                    ///< such as `9.0 PTX instead of 9.0 machine code`
};

struct Proof {
  static constexpr std::size_t most_listed = 100;

  std::uint64_t fatbins = 0;           ///< compared
  std::uint64_t count = 0;             ///< of differences; the first are listed
  std::vector<Difference> differences; ///< `most_listed` at most
  bool needs_zstd = false;             ///< `after` needs a driver that reads zstd where `before` did not

  bool holds() const { return count == 0; }
};

/// Compares what the NVIDIA driver loads from two objects, static archives, programs, shared libraries or
/// fatbins, decompressed, and for ELF files also everything that the loader or the linker gets. Fatbins of
/// linked files are matched by the addresses of their wrappers, others by order, members of archives by name.
/// An error says which file cannot be read, and why.
Result<Proof> prove(const binary::Blob& before, const binary::Blob& after, const ProofTerms& terms);

} // namespace hostpin::devicecode
