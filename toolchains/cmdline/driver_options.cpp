// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/cmdline/driver_options.hpp"

#include "toolchains/cmdline/driver_option_rows.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace hostpin::cmdline {

namespace {

constexpr const auto& options = driver_option_rows;

constexpr bool strictly_sorted() {
  for (std::size_t i = 1; i < options.size(); ++i)
    if (!(options[i - 1].spelling < options[i].spelling))
      return false;
  return true;
}
static_assert(strictly_sorted(), "the table is searched by bisection");

constexpr std::uint16_t no_parent = 0xffff;
static_assert(options.size() < no_parent);

// The longest other spelling that each one begins with. The spelling that begins an argument is the row just
// before the argument in byte order, or one of that row's parents.
constexpr auto parents = [] {
  std::array<std::uint16_t, options.size()> result{no_parent};
  for (std::size_t i = 1; i < options.size(); ++i) {
    auto parent = static_cast<std::uint16_t>(i - 1);
    while (parent != no_parent && !options[i].spelling.starts_with(options[parent].spelling))
      parent = result[parent];
    result[i] = parent;
  }
  return result;
}();

constexpr bool attaches(DriverValue value) {
  return value == DriverValue::joined || value == DriverValue::joined_or_separate ||
         value == DriverValue::joined_and_separate;
}

bool matches(const DriverOption& option, std::string_view argument) {
  return argument.starts_with(option.spelling) &&
         (argument.size() == option.spelling.size() || attaches(option.value));
}

} // namespace

bool takes_next(const DriverOption& option, std::string_view argument) {
  return option.value == DriverValue::separate || option.value == DriverValue::joined_and_separate ||
         (option.value == DriverValue::joined_or_separate && argument == option.spelling);
}

std::span<const DriverOption> driver_options() {
  return options;
}

const DriverOption* find_driver_option(std::string_view argument) {
  const auto* const after = std::upper_bound(
      options.begin(), options.end(), argument,
      [](std::string_view sought, const DriverOption& option) { return sought < option.spelling; });
  if (after == options.begin())
    return nullptr;
  auto index = static_cast<std::uint16_t>(after - options.begin() - 1);
  while (index != no_parent && !matches(options[index], argument))
    index = parents[index];
  return index == no_parent ? nullptr : &options[index];
}

} // namespace hostpin::cmdline
