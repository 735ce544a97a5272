// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// The undefined symbols of a program or library that want a version, mangled, in the file's order; empty
/// where the file has no section headers to find them by.
std::vector<std::string> symbols_wanting(std::string_view bytes, std::string_view version);

/// The input that mentions a symbol: `path`, or `path(member)` in an archive; empty when it does not. An
/// input of a link refers to what it does not define by name, whatever its format.
std::string mention(const std::string& path, std::string_view bytes, std::string_view symbol);

} // namespace hostpin
