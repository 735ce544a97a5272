// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// The undefined symbols of a program or library that want a version of one of its libraries (by soname),
/// mangled, in the file's order, 10,000 at most; empty where the file has no section headers to find them by.
std::vector<std::string> symbols_wanting(std::string_view bytes, std::string_view library,
                                         std::string_view version);

/// Who in an input of a link refers to a symbol without defining it: `path`, or `path(member)` in an archive;
/// empty when nobody does. Objects that hold no machine code yet (LTO) are searched for the name.
std::string reference(const std::string& path, std::string_view bytes, std::string_view symbol);

} // namespace hostpin
