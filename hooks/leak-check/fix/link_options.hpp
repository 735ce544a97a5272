// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace hostpin {

/// Whether the next word may be the value of that one. `-X...`, `-m...` and `--...` may all take one.
bool may_take_next(std::string_view option);

/// Whether a word is an option that names where headers or the compiler's own parts lie, its value joined or
/// not.
bool is_header_option(std::string_view word);

/// Whether a word, without any value, is an option that names directories for the loader or for libraries
/// that libraries need.
bool is_run_path_option(std::string_view word);

/// The prefix after which words for the linker follow, with commas between them; empty when there is none.
std::string_view linker_prefix(std::string_view word);

/// The last of the words for the linker in such a word; the word itself where it is no such one.
std::string_view last_linker_word(std::string_view word);

} // namespace hostpin
