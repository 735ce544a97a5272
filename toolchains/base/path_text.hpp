// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// What stands after the last slash; all of it where there is none.
std::string_view base_name(std::string_view path);

/// The directory that a file lies in, as far as its name tells: `.` for a bare name, `/` for a name in the
/// root, nothing for nothing.
std::string directory_of(std::string_view path);

/// The bytes of a path as in a URL (RFC 3986, 2.1): all but letters, digits and `-._~/+@` as `%` and two
/// hexadecimal digits.
std::string percent_encoded(std::string_view path);

/// Whether a shell reads the path between double quotes as it stands there, on one line. nvcc writes that of
/// its host compiler so into lines for `sh -c`, and executes the same text without a shell: no spelling makes
/// another path work.
bool survives_the_shell(std::string_view path);

/// One word for a POSIX shell, quoted only when it needs to be.
std::string shell_word(std::string_view text);
/// Words joined for a POSIX shell.
std::string shell_words(const std::vector<std::string>& words);

/// The parts of a list, at least one: separators are single characters, and between two side by side is an
/// empty one, which loaders and linkers take for the current directory.
std::vector<std::string> split(std::string_view list, std::string_view separators);
/// Those that are not empty.
std::vector<std::string> filled_parts(std::string_view list, std::string_view separators);

} // namespace hostpin
