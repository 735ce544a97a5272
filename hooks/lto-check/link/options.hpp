// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/link/words.hpp"

#include <optional>
#include <string_view>

namespace hostpin {

/// An option of a linker that has a value, as a word of its command.
struct LinkerOption {
  enum class Meaning {
    value,     ///< only takes a value
    directory, ///< -L
    library,   ///< -l
    input,     ///< a file by an option: a script that may name more
    symbols,   ///< --just-symbols
    run_path,  ///< -R
    sysroot,
    emulation,
    plugin,
    plugin_option,
    format, ///< -b: what the inputs behind it are
    wanted, ///< a symbol that must be found
    wrap,
    definition, ///< --defsym
    renames,
    use_linker, ///< -fuse-ld=
    keyword,    ///< -z
    unresolved, ///< --unresolved-symbols
  };
  Meaning meaning = Meaning::value;
  std::optional<std::string_view> value; ///< what of the word is it; nothing: the next word is
};

/// What a word is that begins with a dash; nothing for options that are unknown or have no value.
std::optional<LinkerOption> linker_option(std::string_view word);

/// An option without its one or two dashes.
std::string_view option_name(std::string_view word);

/// What a switch sets, by its name; null for other options.
bool LinkWords::*linker_switch(std::string_view name);

/// What is said of symbols that nothing defines: by the name of an option, a value of -z, and one of
/// --unresolved-symbols; nothing for others.
std::optional<Undefined> undefined_by_option(std::string_view name);
std::optional<Undefined> undefined_by_keyword(std::string_view keyword);
std::optional<Undefined> undefined_by_method(std::string_view method);

} // namespace hostpin
