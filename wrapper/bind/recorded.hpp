// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/survey/request.hpp"
#include "wrapper/bind/binding.hpp"
#include "wrapper/bind/capabilities.hpp"

#include <optional>
#include <string>

namespace hostpin {

/// The request from which a bound directory was made, as its binding.toml has it.
struct Recorded {
  Request request;
  bool named = false; ///< its host compiler was named on an nvcc call
  bool view = false;  ///< it is inside a toolkit view
  std::optional<BoundCapabilities> capabilities;
};

/// Reads `directory`/binding.toml; an error if it is missing or was not written by hostpin.
Result<Recorded> read_recorded(const Files& files, const std::string& directory);

/// The decision in `directory`: the commands come from the bytes `plan`, names and reasons from binding.toml.
/// Dependencies and verdicts are left out.
Result<Binding> read_binding(const Files& files, const std::string& directory, std::string_view plan);

} // namespace hostpin
