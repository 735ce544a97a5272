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

/// What a bound directory's binding.toml says of how it came about.
struct Recorded {
  Request request;
  bool named = false; ///< its host compiler was named on an nvcc call
  bool view = false;  ///< it lies inside a toolkit view
  std::optional<BoundCapabilities> capabilities;
};

/// Reads `directory`/binding.toml; an error when it is missing or not one of ours.
Result<Recorded> read_recorded(const Files& files, const std::string& directory);

/// The decision in `directory`: what is executed by the bytes `plan`, names and reasons by binding.toml. What
/// it rests on is left out, and verdicts.
Result<Binding> read_binding(const Files& files, const std::string& directory, std::string_view plan);

} // namespace hostpin
