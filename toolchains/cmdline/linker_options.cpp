// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/cmdline/linker_options.hpp"

#include <algorithm>
#include <array>

namespace hostpin::cmdline {

namespace {

// From the manuals of GNU ld 2.46, gold, lld 22, mold 2, nvlink 13.0, and GCC's collect2. Options without a
// meaning here are listed if they have a value, which could be mistaken for an input.
constexpr auto rows = [] {
  using enum LinkerValue;
  using enum LinkerMeaning;
  return std::to_array<LinkerOption>({
      // clang-format off
      {"(", none, start_group},
      {")", none, end_group},
      {"A", joined, nothing},
      {"Bdynamic", none, libraries_shared},
      {"Bshareable", none, shared},
      {"Bstatic", none, archives_only},
      {"F", joined, nothing},
      {"G", joined, nothing},
      {"I", joined, nothing},
      {"L", joined, directory},
      {"Map", equals, nothing},
      {"P", joined, nothing},
      {"R", joined, run_path_or_symbols},
      {"T", joined, input},
      {"Tbss", equals, nothing},
      {"Tdata", equals, nothing},
      {"Ttext", equals, nothing},
      {"Y", joined, nothing},
      {"a", joined, nothing},
      {"architecture", equals, nothing},
      {"assert", equals, nothing},
      {"audit", equals, nothing},
      {"auxiliary", equals, nothing},
      {"b", joined, format},
      {"c", joined, nothing},
      {"call_shared", none, libraries_shared},
      {"default-script", equals, input},
      {"defsym", equals, definition},
      {"depaudit", equals, nothing},
      {"dependency-file", equals, nothing},
      {"dlto", none, device_lto},
      {"dn", none, archives_only},
      {"dy", none, libraries_shared},
      {"dynamic-linker", equals, loader},
      {"dynamic-list", equals, nothing},
      {"e", joined, wanted},
      {"end-group", none, end_group},
      {"end-lib", none, end_lazy},
      {"entry", equals, wanted},
      {"error-unresolved-symbols", none, undefined_by_output},
      {"exclude-libs", equals, nothing},
      {"export-dynamic-symbol", equals, nothing},
      {"export-dynamic-symbol-list", equals, nothing},
      {"f", joined, nothing},
      {"fat-lto-objects", none, fat_bitcode},
      {"filter", equals, nothing},
      {"fini", equals, nothing},
      {"fno-lto", none, no_lto},
      {"format", equals, format},
      {"fuse-ld", equals, use_linker},
      {"h", joined, nothing},
      {"hash-style", equals, nothing},
      {"host-ccbin", equals, nothing},
      {"i", none, relocatable},
      {"init", equals, nothing},
      {"just-symbols", equals, symbols},
      {"l", joined, library},
      {"library", equals, library},
      {"library-path", equals, directory},
      {"lto", none, device_lto_of_nvlink},
      {"m", joined, emulation},
      {"mllvm", equals, nothing},
      {"no-fat-lto-objects", none, no_fat_bitcode},
      {"no-undefined", none, undefined_fails},
      {"no-whole-archive", none, no_whole_archive},
      {"non_shared", none, archives_only},
      {"nostdlib", none, no_own_directories},
      {"o", joined, nothing},
      {"oformat", equals, nothing},
      {"out-implib", equals, nothing},
      {"output", equals, nothing},
      {"output-file", equals, nothing},
      {"plugin", equals, plugin},
      {"plugin-opt", equals, plugin_option},
      {"pop-state", none, pop_state},
      {"push-state", none, push_state},
      {"r", none, relocatable},
      {"relocatable", none, relocatable},
      {"require-defined", equals, wanted},
      {"retain-symbols-file", equals, nothing},
      {"rpath", equals, run_paths},
      {"rpath-link", equals, nothing},
      {"script", equals, input},
      {"section-ordering-file", equals, nothing},
      {"section-start", equals, nothing},
      {"shared", none, shared},
      {"soname", equals, nothing},
      {"start-group", none, start_group},
      {"start-lib", none, start_lazy},
      {"static", none, archives_only},
      {"symbol-ordering-file", equals, nothing},
      {"sysroot", equals, sysroot},
      {"trace-symbol", equals, nothing},
      {"u", joined, wanted},
      {"undefined", equals, wanted},
      {"undefined-glob", equals, renames},
      {"unresolved-symbols", equals, unresolved},
      {"version-script", equals, nothing},
      {"warn-unresolved-symbols", none, undefined_passes},
      {"whole-archive", none, whole_archive},
      {"wrap", equals, wrap},
      {"y", joined, nothing},
      {"z", joined, keyword},
      // clang-format on
  });
}();
static_assert(std::ranges::adjacent_find(rows, std::ranges::greater_equal(), &LinkerOption::name) ==
                  rows.end(),
              "keep the rows sorted by name");

const LinkerOption* find(std::string_view name) {
  const auto* const row = std::ranges::lower_bound(rows, name, {}, &LinkerOption::name);
  return row != rows.end() && row->name == name ? row : nullptr;
}

} // namespace

std::span<const LinkerOption> linker_options() {
  return rows;
}

LinkerArgument linker_argument(std::string_view word) {
  if (word.size() < 2 || word.front() != '-')
    return {};
  const bool two_dashes = word.starts_with("--");
  const std::string_view name = word.substr(two_dashes ? 2 : 1);
  if (const LinkerOption* const option = find(name))
    return {option, std::nullopt};
  const std::size_t equals = name.find('=');
  if (equals != std::string_view::npos)
    if (const LinkerOption* const option = find(name.substr(0, equals));
        option != nullptr && option->value == LinkerValue::equals)
      return {option, name.substr(equals + 1)};
  const LinkerOption* const letter = two_dashes || name.empty() ? nullptr : find(name.substr(0, 1));
  if (letter != nullptr && letter->value == LinkerValue::joined)
    return {letter, name.substr(1)};
  return {};
}

} // namespace hostpin::cmdline
