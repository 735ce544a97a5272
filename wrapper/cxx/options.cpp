// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/cxx/options.hpp"

#include "wrapper/cxx/option_rows.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace hostpin {

namespace {

constexpr const auto& options = cxx_option_rows;

constexpr bool strictly_sorted() {
  for (std::size_t i = 1; i < options.size(); ++i)
    if (!(options[i - 1].spelling < options[i].spelling))
      return false;
  return true;
}
static_assert(strictly_sorted(), "the table is searched by bisection");

constexpr std::uint16_t no_parent = 0xffff;
static_assert(options.size() < no_parent);

// The longest other spelling that each one begins with. Whatever begins an argument is the row just before
// the argument in byte order, or one of that row's parents.
constexpr auto parents = [] {
  std::array<std::uint16_t, options.size()> result{};
  for (std::size_t i = 0; i < options.size(); ++i) {
    result[i] = no_parent;
    for (std::size_t j = i; j-- > 0;)
      if (options[i].spelling.starts_with(options[j].spelling)) {
        result[i] = static_cast<std::uint16_t>(j);
        break;
      }
  }
  return result;
}();

constexpr bool attaches(CxxValue value) {
  return value == CxxValue::joined || value == CxxValue::joined_or_separate ||
         value == CxxValue::joined_and_separate;
}

bool matches(const CxxOption& option, std::string_view argument) {
  return argument.starts_with(option.spelling) &&
         (argument.size() == option.spelling.size() || attaches(option.value));
}

} // namespace

RuntimeFeature feature_of(CxxSwitch toggle) {
  constexpr auto count = static_cast<std::size_t>(CxxSwitch::count);
  constexpr std::array<RuntimeFeature, count> features = {
      RuntimeFeature::lto, // `none` is not asked for
      RuntimeFeature::coverage, RuntimeFeature::coverage, RuntimeFeature::profile,
      RuntimeFeature::profile,  RuntimeFeature::profile,  RuntimeFeature::openmp,
      RuntimeFeature::openmp,   RuntimeFeature::pg,       RuntimeFeature::lto};
  return features[static_cast<std::size_t>(toggle)];
}

bool takes_next(const CxxOption& option, std::string_view argument) {
  return option.value == CxxValue::separate || option.value == CxxValue::joined_and_separate ||
         (option.value == CxxValue::joined_or_separate && argument == option.spelling);
}

std::span<const CxxOption> cxx_options() {
  return options;
}

const CxxOption* find_cxx_option(std::string_view argument) {
  const auto* const after = std::upper_bound(
      options.begin(), options.end(), argument,
      [](std::string_view sought, const CxxOption& option) { return sought < option.spelling; });
  if (after == options.begin())
    return nullptr;
  auto index = static_cast<std::uint16_t>(after - options.begin() - 1);
  while (index != no_parent && !matches(options[index], argument))
    index = parents[index];
  return index == no_parent ? nullptr : &options[index];
}

} // namespace hostpin
