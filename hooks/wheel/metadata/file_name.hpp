// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin::wheel {

/// The parts of a wheel's file name (PyPA, "Binary distribution format").
struct WheelName {
  std::string distribution; ///< as written: `Torch_Vision`
  std::string version;
  std::string build;                                 ///< empty if there is none
  std::vector<std::string> pythons, abis, platforms; ///< of the compressed tag sets, each not empty
  std::string variant;                               ///< a variant's label (PEP 825); empty if there is none

  /// Each tag: `cp311-cp311-manylinux_2_28_x86_64`.
  std::vector<std::string> tags() const;
  /// `pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl`.
  std::string file_name() const;
};

/// Reads a file name, without directories. The error says what is wrong with it.
Result<WheelName> read_wheel_name(std::string_view file_name);

/// A distribution's name as names are compared (PyPA, "Names and normalization"): `torch-vision`.
std::string normalised(std::string_view distribution);

} // namespace hostpin::wheel
