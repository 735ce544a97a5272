// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/elf.hpp"

#include <string_view>

namespace hostpin::binary {

/// A string that the CUDA runtime's code always contains: the name of its shared memory, in libcudart.so and
/// in libcudart_static.a of every release.
inline constexpr std::string_view cuda_runtime_text = "/cudart.shm.";

/// The release of a shared CUDA runtime as a name, such as `libcudart.so.13`; empty for other files. It is
/// the version of its symbols, which does not change when the file and its soname are renamed, as in
/// wheels. Without versions, the soname or `file_name` counts.
std::string_view shared_cuda_runtime(const SharedObject& image, std::string_view file_name);

/// Which of the functions that only the runtime exports a file defines. A file that links it statically does
/// not export them, because they are hidden there.
class CudaRuntimeExports {
public:
  /// Each defined dynamic symbol.
  void add(std::string_view symbol);
  /// Whether it is a shared runtime whatever its name, soname and symbol versions, if it also contains
  /// `cuda_runtime_text`. Without that it only passes calls on.
  bool complete() const { return registers_ && launches_ && versions_; }

private:
  bool registers_ = false, launches_ = false, versions_ = false;
};

} // namespace hostpin::binary
