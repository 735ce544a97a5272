// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hostpin::matrix {

/// Names as they are in a form, such as `@NAME@`, and their values.
using FormValues = std::vector<std::pair<std::string_view, std::string>>;

/// A form in which each name is replaced by its value, in which nothing is replaced: that may be a user's
/// text.
std::string with(std::string_view form, const FormValues& values);

/// Text in double quotes, as JSON, which is YAML and Python.
std::string yaml_text(const std::string& text);

} // namespace hostpin::matrix
