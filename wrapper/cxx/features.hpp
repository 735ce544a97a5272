// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/cmdline/driver_options.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hostpin {

/// A feature that a flag turns on and whose runtime comes with the compiler: a library, or a reader of the
/// compiler's output.
enum class RuntimeFeature : std::uint8_t { sanitize, coverage, profile, openmp, pg, lto };

/// The names in plans, configuration and messages, in the order of the enumerators.
inline constexpr std::array<std::string_view, 6> runtime_feature_names = {"sanitize", "coverage", "profile",
                                                                          "openmp",   "pg",       "lto"};

constexpr std::string_view to_string(RuntimeFeature feature) {
  return runtime_feature_names[static_cast<std::size_t>(feature)];
}

/// The feature that a switch other than `none` and `count` turns on.
constexpr RuntimeFeature feature_of(cmdline::DriverSwitch toggle) {
  using enum RuntimeFeature;
  constexpr std::array<RuntimeFeature, static_cast<std::size_t>(cmdline::DriverSwitch::count)> features = {
      lto, // never called with `none`
      coverage, coverage, profile, profile, profile, openmp, openmp, pg, lto};
  return features[static_cast<std::size_t>(toggle)];
}

} // namespace hostpin
