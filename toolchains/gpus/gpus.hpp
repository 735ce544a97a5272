// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/version.hpp"
#include "toolchains/gpus/capability.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin::gpus {

/// One row of gpus.toml: a GPU generation that nvcc compiles for, or once did. Releases are major.minor.
struct Gpu {
  Capability capability;    ///< the baseline
  std::string architecture; ///< such as `Hopper`
  Version first;            ///< first CUDA release that supports it
  std::optional<Version> last;
  std::optional<Version> architecture_specific, family_specific; ///< first releases that support the variant
  std::optional<Version> retired_after;                          ///< last release with it in `default`
  std::optional<Capability> family;                              ///< the family's first member
  bool jetson = false;
  bool kokkos = false;                 ///< Kokkos has an option for it
  bool torch = true;                   ///< PyTorch's extensions accept it in their list
  std::optional<Capability> successor; ///< the same GPU's number in later releases
  std::string source;

  /// The first release that supports this variant; nothing if none does.
  std::optional<Version> first_with(Capability::Variant variant) const;
  /// True if a toolkit of this version supports this variant; the patch level is ignored.
  bool is_supported_by(const Version& toolkit, Capability::Variant variant) const;
};

/// Reads gpus.toml of `directory`: rows ascend and are unique, successors and families exist. Errors carry
/// `file:line:column`.
Result<std::vector<Gpu>> load_gpus(const Files& files, const std::string& directory);

/// The row of a capability, whatever its variant; null if there is none.
const Gpu* find_gpu(const std::vector<Gpu>& gpus, const Capability& capability);

} // namespace hostpin::gpus
