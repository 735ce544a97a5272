// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/table/cuda_wheels.hpp"
#include "wrapper/setup/asked.hpp"
#include "wrapper/setup/plan.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin::setup {

/// NVIDIA's first release whose wheels have an nvcc.
inline constexpr int first_wheels = 13;

/// Whether wheels can have a toolkit that the user asks for.
bool may_be_wheels(const Asked& asked);

/// What pip is asked for: NVIDIA's metapackage `cuda-toolkit[nvcc,...]==13.3.*`, which requires wheels that
/// belong together. The error names a library that is none of its extras, or a release without an nvcc.
Result<std::vector<std::string>> wheel_requirements(const Asked& asked, const std::vector<CudaWheel>& rows);

/// The same for a release that the metapackage does not have yet: wheel by wheel. Empty where no release is
/// asked for.
std::vector<std::string> single_requirements(const Asked& asked, const std::vector<CudaWheel>& rows);

/// The toolkit of pip's installation report (PyPA, "Installation Report Format"). Names, addresses and hashes
/// are of an index that may be hostile. Errors: what is no wheel, or has no SHA-256, or was withdrawn, and
/// wheels of different releases.
Result<Piece> wheels_piece(std::string_view report, const Asked& asked);

} // namespace hostpin::setup
