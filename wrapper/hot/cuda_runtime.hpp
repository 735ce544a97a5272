// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/cxx/role.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin::hot {

/// A CUDA runtime of another release than the toolkit's.
struct OtherRuntime {
  std::string soname;           ///< such as `libcudart.so.13`
  std::string path;             ///< of the file that the link took, without links; empty if it was not found
  bool major = false;           ///< of another major release, not only another minor one
  bool has_device_code = false; ///< the output contains code for GPUs
};

/// The runtime that an output needs; nothing if it needs none, or the toolkit's (`12.4.131`). The minor
/// release is known if the file name ends in it, as in NVIDIA's packages. `inputs` is called only if the
/// output needs a runtime.
std::optional<OtherRuntime> other_runtime(const std::string& output, std::string_view toolkit,
                                          const std::function<cxx::LinkInputs()>& inputs);

} // namespace hostpin::hot
