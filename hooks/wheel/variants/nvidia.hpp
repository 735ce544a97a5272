// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/wheel/variants/format.hpp"
#include "toolchains/base/version.hpp"
#include "toolchains/gpus/capability.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace hostpin::wheel {

// The properties of the namespace `nvidia`, as nvidia-variant-provider 0.0.2 and uv have them: `sm_arch` by
// CMake's names of architectures, and bounds of the CUDA release that a driver came with.

inline constexpr const char* nvidia_namespace = "nvidia";
inline constexpr const char* sm_arch = "sm_arch";
inline constexpr const char* cuda_lower_bound = "cuda_version_lower_bound";

/// What a machine with that GPU, and the driver of that CUDA release, is compatible with. Machine code of its
/// major, and PTX of the lowest capability of that: `80_virtual` does not fit a GPU of 9.0. Code with `a` or
/// `f` has no name.
Compatible nvidia_machine(gpus::Capability gpu, const Version& cuda);

/// The value of `sm_arch` for machine code of a capability, or, if `is_ptx`, for PTX of its major.
std::string sm_value(gpus::Capability gpu, bool is_ptx);

/// A value of `sm_arch` taken apart; nothing for another text.
struct SmArch {
  gpus::Capability capability;
  bool is_ptx = false;
};
std::optional<SmArch> read_sm_value(std::string_view value);

/// Those of a variant for a GPU that needs the driver of that CUDA release; 0: any.
Properties nvidia_properties(const std::string& sm_value, const Version& cuda);

/// The priorities: the GPU first, then the driver.
VariantsFile nvidia_variants();

} // namespace hostpin::wheel
