// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/gpus/expansion.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::gpus {

/// How one build system spells what to compile for.
struct Spelling {
  std::string_view name; ///< such as `cmake`
  /// The variable for the value, such as `CMAKE_CUDA_ARCHITECTURES`; empty if the value is arguments.
  std::string_view variable;
  std::string_view environment; ///< the environment variable with the same meaning; empty if there is none
  /// The value. The error says why that build system cannot express it.
  Result<std::string> (*value)(const GpuExpansion&, const std::vector<Gpu>&);
};

/// All of them: `nvcc`, `cmake`, `torch`, `nccl`, `xla`, `kokkos`.
std::span<const Spelling> spellings();

/// The options of nvcc, one for each code: machine code first, then PTX.
std::vector<std::string> gencode_options(const GpuExpansion& expansion);

/// What source code that needs the features of a variant is compiled for, on the GPUs with machine code in a
/// list: rows `ASKED SERVED` of digits, such as `90a 90a`, and `100f 103f` for later members of a family.
/// Without variants that the toolkit does not compile for.
std::vector<std::string> served_variants(const GpuExpansion& expansion, const std::vector<Gpu>& gpus,
                                         const Version& toolkit);

/// The one of that name, or null.
const Spelling* find_spelling(std::string_view name);

} // namespace hostpin::gpus
