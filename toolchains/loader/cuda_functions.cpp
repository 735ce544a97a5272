// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/loader/cuda_functions.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace hostpin::loader {

namespace {

/// A capital letter follows in the names of functions, but not in other names, such as `cuda_init`.
constexpr std::array<std::string_view, 25> prefixes = {
    "__cuda",   "__nvJitLink", "__nvrtc",  "cuFile",   "cublas",   "cuda", "cudnn", "cudss", "cufft",
    "cupti",    "curand",      "cusolver", "cusparse", "cutensor", "nccl", "npp",   "nppi",  "npps",
    "nvFatbin", "nvJitLink",   "nvjpeg",   "nvrtc",    "nvtx",     "nvvm", "pnccl"};

/// More than any has. An ELF file may give a long name to every symbol, at no cost.
constexpr std::size_t longest_function = 255;

bool begins_with(std::string_view symbol, std::string_view prefix) {
  return symbol.starts_with(prefix) && symbol.size() > prefix.size() && symbol[prefix.size()] >= 'A' &&
         symbol[prefix.size()] <= 'Z';
}

} // namespace

std::string_view cuda_prefix_of(std::string_view symbol) {
  const auto* const found = std::find_if(
      prefixes.begin(), prefixes.end(), [&](std::string_view prefix) { return begins_with(symbol, prefix); });
  return found == prefixes.end() ? std::string_view() : *found;
}

bool is_function_of_driver(std::string_view symbol) {
  return begins_with(symbol, "cu") && !symbol.starts_with("cuFile");
}

void CudaFunctions::add(const binary::DynamicSymbol& symbol) {
  if (symbol.name.size() > longest_function || cuda_prefix_of(symbol.name).empty())
    return;
  if (symbol.is_defined)
    defined.emplace(symbol.name);
  else if (!symbol.is_weak)
    needed.emplace_back(symbol.name);
}

bool CudaFunctions::defines_prefix(std::string_view prefix) const {
  const auto first = defined.lower_bound(std::string(prefix) + 'A');
  return first != defined.end() && begins_with(*first, prefix);
}

std::optional<CudaFunctions> read_cuda_functions(const binary::Bytes& file) {
  CudaFunctions functions;
  const auto read = binary::each_dynamic_symbol(file, [&](const binary::DynamicSymbol& symbol) {
    functions.add(symbol);
    return true;
  });
  return read && *read ? std::optional(std::move(functions)) : std::nullopt;
}

std::vector<std::string> lacked_functions(const CudaFunctions& file,
                                          const std::vector<const CudaFunctions*>& loaded,
                                          const std::function<bool(const std::string&)>& is_elsewhere) {
  std::vector<std::string> lacked;
  for (const std::string& function : file.needed) {
    const bool is_defined = std::any_of(loaded.begin(), loaded.end(), [&](const CudaFunctions* one) {
      return one->defined.contains(function);
    });
    if (!is_defined && !is_elsewhere(function))
      lacked.push_back(function);
  }
  return lacked;
}

} // namespace hostpin::loader
