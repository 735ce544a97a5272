// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/fatbin/choice.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace hostpin::wheel {

/// What a GPU gets of one fatbin of a program or library.
struct FatbinService {
  std::size_t fatbin = 0;         ///< in the file, from 0
  bool is_served = false;         ///< something in it is loaded
  bool is_compiled = false;       ///< that is PTX
  std::string reason;             ///< why not: `it has 8.0 machine code`, `its PTX is newer than the driver`
  std::vector<std::string> names; ///< of some of its kernels or sources, if it is not served
};

/// What the NVIDIA driver loads of each fatbin of a file, by fatbin::choice; fatbins without functions, and
/// the input of a device link that wrote the others, are left out. Empty if it has no device code. The error
/// is the end of a sentence about the file.
Result<std::vector<FatbinService>> services(const binary::Blob& file, const fatbin::ChoiceTerms& terms);

} // namespace hostpin::wheel
