// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace hostpin {

/// A number of nlohmann's JSON that is whole and that Number holds. The library converts every number to the
/// requested type: -1 and 2^40 become other numbers without an error, and 1e20 is undefined behaviour.
template <typename Number, typename Json>
std::optional<Number> whole_number(const Json& json) {
  const auto held = [](auto value) {
    return std::in_range<Number>(value) ? std::optional(static_cast<Number>(value)) : std::nullopt;
  };
  if (json.is_number_unsigned())
    return held(json.template get<std::uint64_t>());
  return json.is_number_integer() ? held(json.template get<std::int64_t>()) : std::nullopt;
}

/// The same, and not below `least`. Otherwise it throws an exception of the library that names the member, as
/// `get` throws one for other types.
template <typename Number, typename Json>
Number number_of(const Json& json, const char* name, Number least = 0) {
  if (const auto number = whole_number<Number>(json); number && least <= *number)
    return *number;
  throw Json::other_error::create(501,
                                  std::string(name) + " is " +
                                      (json.is_number() ? json.dump() : json.type_name()) +
                                      ", not a whole number from " + std::to_string(least) + " to " +
                                      std::to_string(std::numeric_limits<Number>::max()),
                                  &json);
}

} // namespace hostpin
