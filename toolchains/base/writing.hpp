// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <string>
#include <string_view>

namespace hostpin {

/// Creates the directory and its parents, private to the user. Existing ones are left as they are.
Result<void> make_private_directories(const std::string& path);

/// Writes all of it, however often the system takes only a part; false, with errno set, when it takes no
/// more.
bool write_all(int descriptor, std::string_view content);

/// Replaces a file in one step: written beside it, then renamed. Readers see the old or the new content.
Result<void> replace_file(const std::string& path, std::string_view content, bool executable);

} // namespace hostpin
