// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace hostpin::cmdline {

/// How an option of a linker takes its value. Each name may have one dash or two.
enum class LinkerValue : std::uint8_t {
  none,
  equals, ///< `--rpath=X` or `--rpath X`
  joined, ///< `-LX` or `-L X`; joined to one dash only
};

enum class LinkerMeaning : std::uint8_t {
  nothing,             ///< only takes a value
  directory,           ///< -L
  library,             ///< -l
  input,               ///< a file by an option: a script that may name more
  symbols,             ///< --just-symbols
  run_path_or_symbols, ///< -R: the symbols of a file, the run path of a directory
  run_paths,
  loader,
  sysroot,
  emulation,
  plugin,
  plugin_option,
  format, ///< -b: the format of the following inputs
  wanted, ///< a symbol that must be defined
  wrap,
  definition, ///< --defsym
  renames,
  use_linker, ///< -fuse-ld=
  keyword,    ///< -z
  unresolved, ///< --unresolved-symbols
  shared,     ///< makes a shared library
  relocatable,
  no_lto,
  fat_bitcode,
  no_fat_bitcode,
  no_own_directories,
  device_lto,
  device_lto_of_nvlink, ///< -lto, which for others is the library named `to`
  archives_only,        ///< from here on, like the following ones
  libraries_shared,
  whole_archive,
  no_whole_archive,
  start_lazy,
  end_lazy,
  start_group,
  end_group,
  push_state,
  pop_state,
  undefined_fails,
  undefined_passes,
  undefined_by_output,
};

struct LinkerOption {
  std::string_view name; ///< without dashes
  LinkerValue value = LinkerValue::none;
  LinkerMeaning meaning = LinkerMeaning::nothing;
};

/// Every row, sorted by name.
std::span<const LinkerOption> linker_options();

/// An argument of a linker's command.
struct LinkerArgument {
  const LinkerOption* option = nullptr; ///< null: an input, or an option that is not known
  std::optional<std::string_view> value =
      std::nullopt; ///< nothing: it has none, or the next argument is its value

  bool takes_next() const { return option != nullptr && option->value != LinkerValue::none && !value; }
};
LinkerArgument linker_argument(std::string_view word);

} // namespace hostpin::cmdline
