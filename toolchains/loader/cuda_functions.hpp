// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/dynamic_symbols.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::loader {

/// How the names of a CUDA library's functions begin: `cuda` for cudaMalloc, `cublas` for cublasLtCreate.
/// Empty for other symbols, including functions of the driver, which only the machine that runs a program
/// has.
std::string_view cuda_prefix_of(std::string_view symbol);

/// Whether a function is libcuda's by its name: `cuInit`.
bool is_function_of_driver(std::string_view symbol);

/// Functions of CUDA's libraries in the dynamic symbols of a file, by their names.
struct CudaFunctions {
  std::vector<std::string> needed; ///< of other files, except weak ones
  std::set<std::string, std::less<>> defined;

  void add(const binary::DynamicSymbol& symbol);
  bool defines_prefix(std::string_view prefix) const;
};

/// Nothing if the symbols of the file are not known: it has no section headers, or they are damaged.
std::optional<CudaFunctions> read_cuda_functions(const binary::Bytes& file);

/// The functions that a file needs and that none of the loaded files defines, in the order of its symbols.
/// `is_elsewhere`: whether a file that is not in `loaded` may define one.
std::vector<std::string> lacked_functions(const CudaFunctions& file,
                                          const std::vector<const CudaFunctions*>& loaded,
                                          const std::function<bool(const std::string&)>& is_elsewhere);

} // namespace hostpin::loader
