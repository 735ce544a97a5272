// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/elf.hpp"
#include "toolchains/fatbin/holding.hpp"
#include "toolchains/fatbin/inventory.hpp"
#include "toolchains/loader/cuda_functions.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::wheel {

/// What the rules need of a program or shared library.
struct ElfFacts {
  binary::Image image;
  bool is_module = false;          ///< Python imports it: it defines `PyInit_*`
  std::string cuda_runtime;        ///< of a shared CUDA runtime: `libcudart.so.13`; empty for other files
  bool has_static_runtime = false; ///< contains the CUDA runtime's code without exporting it
  bool is_driver = false;          ///< it is NVIDIA's libcuda, or its stub, by its content, whatever its name
  bool has_temporary_names = false; ///< contains names of nvcc's temporary files, which have its process id
  /// Mangled functions and variables of the namespaces c10, at and torch, sorted.
  std::vector<std::string> torch_needed, torch_defined;
  loader::CudaFunctions cuda;
  bool hides_symbols = false;      ///< it has no section headers, so that its functions are not known
  std::vector<std::string> opened; ///< libraries that it opens by name, and does not work without
  fatbin::CarrierKind carrier = fatbin::CarrierKind::none;
  fatbin::Holding device_code;
};

/// How much is read.
enum class Depth {
  linking, ///< what the loader reads, and symbols
  all,     ///< constants and device code too
};

/// Nothing for a file that is not ELF, and for one that nothing is loaded for, such as an object. The error
/// says what is damaged.
Result<std::optional<ElfFacts>> read_elf_facts(const binary::Bytes& file, std::string_view file_name,
                                               Depth depth);

/// Whether a file name begins like those of PyTorch's libraries, such as libtorch_cpu.so and libc10.so.
bool is_library_of_torch(std::string_view file_name);

} // namespace hostpin::wheel
