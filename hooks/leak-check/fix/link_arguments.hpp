// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/fix/link_lists.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::leak {

/// Whether the next argument may be the value of that one. `-X...`, `-m...` and `--...` may all take one.
bool may_take_next(std::string_view option);

/// Whether an argument is an option for directories of headers or of the compiler itself, with or without
/// its value.
bool is_header_option(std::string_view word);

/// Whether an argument is an option for directories of the loader, or for those of libraries that libraries
/// need, without its value.
bool is_run_path_option(std::string_view word);

/// The prefix before arguments of the linker that are separated by commas: `-Wl,`, `LINKER:`; or empty.
std::string_view linker_prefix(std::string_view word);

/// The last of those arguments; the argument itself if it has no such prefix.
std::string_view last_linker_argument(std::string_view word);

/// Why a directory of headers is not removed.
inline constexpr std::string_view headers_may_be_needed =
    "compilations that use it may need a header in that directory";

/// Decisions about arguments.
struct LinkRules {
  /// Whether that absolute path is unwanted, or below an unwanted one.
  std::function<bool(std::string_view path)> unwanted;
  /// Why that directory is not removed: a library that is linked by name is, or may be, in it and in no
  /// other; empty: it may be removed. Static text.
  std::function<std::string_view(const std::string& directory)> need;
};

/// Removes unwanted directories that are searched at link time or at run time, and replaces files of
/// libstdc++ and libgcc_s in unwanted directories by `-lstdc++` and `-lgcc_s`. Arguments that are quoted,
/// contain a variable, may be the value of the one before, or are otherwise not certain are not changed.
void fix_arguments(std::vector<LinkArgument>& words, LinkList::Holds holds, const LinkRules& rules);

} // namespace hostpin::leak
