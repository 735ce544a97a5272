// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// The text after the last slash; all of it if there is none.
std::string_view base_name(std::string_view path);

/// The directory part of a file's path: `.` for a bare name, `/` for a name in the root, empty for an empty
/// path.
std::string directory_of(std::string_view path);

/// The bytes of a path as in a URL (RFC 3986, 2.1): all but letters, digits and `-._~/+@` as `%` and two
/// hexadecimal digits.
std::string percent_encoded(std::string_view path);

/// The URL, or a word of a message with one, without user and password.
std::string without_user(std::string_view address);

/// True if a shell reads the path unchanged between double quotes, on one line. nvcc writes its host
/// compiler's path that way into `sh -c` lines, and also executes the same text without a shell, so no
/// escaping makes another path work.
bool survives_the_shell(std::string_view path);

/// One word for a POSIX shell, quoted only if necessary.
std::string shell_word(std::string_view text);
/// Words joined for a POSIX shell.
std::string shell_words(const std::vector<std::string>& words);
/// A string of the Nix language, which has the text's bytes for its value.
std::string nix_string(std::string_view text);

/// The parts of a list, at least one: separators are single characters, and between two side by side is an
/// empty one, which loaders and linkers take for the current directory.
std::vector<std::string> split(std::string_view list, std::string_view separators);
/// Those that are not empty.
std::vector<std::string> filled_parts(std::string_view list, std::string_view separators);
/// The absolute directories of a PATH, in order, without slashes at their ends. Empty and relative entries
/// mean the current directory, which is not trusted.
std::vector<std::string> absolute_directories(std::string_view path);

} // namespace hostpin
