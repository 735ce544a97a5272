// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/cmdline/nvcc_options.hpp"

#include "toolchains/cmdline/nvcc_option_rows.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace hostpin::cmdline {
namespace {

using enum NvccOption::Arity;
using enum NvccOption::Place;

constexpr const auto& table = nvcc_option_rows;
static_assert(std::ranges::is_sorted(table, {}, &NvccOption::spelling), "keep the rows sorted by spelling");

struct Spelling {
  std::string_view text;
  std::uint8_t row = 0;
};

// By length first: a search then only compares the few spellings of the given length.
constexpr bool before(const Spelling& a, const Spelling& b) {
  return a.text.size() != b.text.size() ? a.text.size() < b.text.size() : a.text < b.text;
}

constexpr std::size_t spelling_count =
    std::size(table) + std::ranges::count_if(table, [](const NvccOption& o) { return !o.alias.empty(); });
static_assert(std::size(table) <= 256, "a row number is one byte");

constexpr std::array<Spelling, spelling_count> sorted_spellings() {
  std::array<Spelling, spelling_count> all{};
  std::size_t n = 0;
  for (std::size_t row = 0; row < std::size(table); ++row) {
    all[n++] = {table[row].spelling, static_cast<std::uint8_t>(row)};
    if (!table[row].alias.empty())
      all[n++] = {table[row].alias, static_cast<std::uint8_t>(row)};
  }
  std::ranges::sort(all, before);
  return all;
}

constexpr auto spellings = sorted_spellings();
static_assert(std::ranges::adjacent_find(spellings, [](const Spelling& a,
                                                       const Spelling& b) { return a.text == b.text; }) ==
                  spellings.end(),
              "a spelling may belong to one row only");

constexpr std::size_t longest = spellings.back().text.size();

// Element n is the index of the first spelling of n or more characters.
constexpr std::array<std::uint16_t, longest + 2> starts_by_length() {
  std::array<std::uint16_t, longest + 2> starts{};
  for (std::size_t length = 0; length < starts.size(); ++length)
    starts[length] = static_cast<std::uint16_t>(
        std::ranges::count_if(spellings, [=](const Spelling& s) { return s.text.size() < length; }));
  return starts;
}

constexpr auto starts = starts_by_length();

const NvccOption* find(std::string_view name) {
  if (name.size() > longest)
    return nullptr;
  std::size_t low = starts[name.size()];
  std::size_t high = starts[name.size() + 1];
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    const int order = name.compare(spellings[middle].text);
    if (order == 0)
      return &table[spellings[middle].row];
    (order < 0 ? high : low) = order < 0 ? middle : middle + 1;
  }
  return nullptr;
}

constexpr bool is_attaching(char letter) {
  constexpr std::string_view letters = "DILOUlt";
  return letters.find(letter) != std::string_view::npos;
}
static_assert(std::ranges::all_of(table, [](const NvccOption& o) {
  return o.place == apart || (o.alias.size() == 2 && is_attaching(o.alias[1]) && o.arity != none);
}));

// The most common arguments need no search for a longer name, because there is none.
constexpr bool always_attaches(char letter) {
  return letter == 'D' || letter == 'I' || letter == 'L' || letter == 'U';
}
static_assert(std::ranges::none_of(spellings, [](const Spelling& s) {
  return s.text.size() > 2 && always_attaches(s.text[1]);
}));

} // namespace

std::span<const NvccOption> nvcc_options() {
  return table;
}

NvccArgument nvcc_argument(std::string_view argument) {
  if (argument.size() < 2 || argument[0] != '-')
    return {};
  const bool long_enough = argument.size() > 2;
  if (!long_enough || !always_attaches(argument[1])) {
    const std::size_t equals = argument.find('=');
    if (const NvccOption* option = find(argument.substr(0, equals))) {
      if (equals == std::string_view::npos)
        return {option};
      return {option, true, argument.substr(equals + 1)};
    }
  }
  if (long_enough && is_attaching(argument[1]))
    return {find(argument.substr(0, 2)), true, argument.substr(2)};
  return {};
}

bool takes_next(const NvccArgument& argument, std::string_view next) {
  if (argument.option == nullptr || argument.has_value || argument.option->arity == none)
    return false;
  return argument.option->arity != optional || !next.starts_with('-');
}

} // namespace hostpin::cmdline
