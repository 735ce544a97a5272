// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::wheel {

/// METADATA with these requirements, by normalised name, instead of those on the same distributions that hold
/// without an extra. Everything else stays as it is.
std::string with_requirements(std::string_view metadata,
                              const std::map<std::string, std::string>& requirements);

/// WHEEL with these tags instead of its own.
std::string with_tags(std::string_view text, const std::vector<std::string>& tags);

} // namespace hostpin::wheel
