// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/scratch.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace hostpin {

/// What a GCC's preprocessor makes of nvcc's question about its host compiler, for programs of that triple;
/// empty for a machine that no toolkit runs on.
std::string host_properties(std::string_view triple);

/// A program that gives nvcc this answer where there is no C++ compiler: without one, nvcc ends before it
/// describes itself. What nvcc says of itself does not depend on the answer. The program compiles nothing.
class HostStandIn {
public:
  static Result<HostStandIn> make(const Environment& environment);
  std::string path() const;

private:
  explicit HostStandIn(ScratchDirectory directory) : directory_(std::move(directory)) {}
  ScratchDirectory directory_;
};

} // namespace hostpin
