// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace hostpin {

/// What becomes of a link that a check finds wrong.
enum class CheckPolicy { error, warn, off };

constexpr std::array<std::string_view, 3> check_policy_names = {"error", "warn", "off"};

constexpr std::string_view to_string(CheckPolicy policy) {
  return check_policy_names[static_cast<std::size_t>(policy)];
}

/// Nothing for another word.
constexpr std::optional<CheckPolicy> check_policy(std::string_view name) {
  for (std::size_t i = 0; i < check_policy_names.size(); ++i)
    if (check_policy_names[i] == name)
      return static_cast<CheckPolicy>(i);
  return std::nullopt;
}

} // namespace hostpin
