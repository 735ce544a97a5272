// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin::gpus {

/// A compute capability such as 8.6 or 9.0a. `a` code runs on that capability only, `f` code on it and on
/// later ones of its family, other code on all later ones of its major.
struct Capability {
  enum class Variant { baseline, architecture_specific, family_specific };

  int major = 0; ///< 1 to 99
  int minor = 0; ///< 0 to 9, because nvcc writes both without a dot
  Variant variant = Variant::baseline;

  auto operator<=>(const Capability&) const = default;
};

/// Reads `8.6`, `9.0a`, `10.0f`; nothing for anything else.
std::optional<Capability> capability_named(std::string_view text);

/// `8.6`, `9.0a`: what capability_named reads.
std::string to_string(const Capability& capability);

/// `86`, `90a`: what follows `sm_` and `compute_`.
std::string digits(const Capability& capability);

/// The same without `a` or `f`.
Capability baseline(Capability capability);

} // namespace hostpin::gpus
