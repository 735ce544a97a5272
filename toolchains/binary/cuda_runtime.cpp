// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/cuda_runtime.hpp"

namespace hostpin::binary {

std::string_view shared_cuda_runtime(const SharedObject& image, std::string_view file_name) {
  constexpr std::string_view prefix = "libcudart.so.";
  for (const std::string& version : image.version_definitions)
    if (version.starts_with(prefix))
      return version;
  for (const std::string_view name : {std::string_view(image.soname), file_name})
    if (name.starts_with(prefix))
      return name;
  return {};
}

void CudaRuntimeExports::add(std::string_view symbol) {
  registers_ |= symbol == "__cudaRegisterFatBinary";
  launches_ |= symbol == "cudaLaunchKernel";
  versions_ |= symbol == "cudaRuntimeGetVersion";
}

} // namespace hostpin::binary
