// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace hostpin {

/// Names of a template, without the signs around them, and their values.
using TemplateValues = std::map<std::string, std::string, std::less<>>;

/// The template with the value in place of each `@NAME@`; text between two `@` that is not a name is
/// unchanged. A name alone in its line stands for the lines of its value, each with the name's indentation,
/// or for none if the value is empty. Lines between `@IF NAME@` and `@END@`, each alone in its line, are left
/// out if the name has no value, or an empty one. Nothing is replaced in values: they may be a user's text.
std::string expanded(std::string_view text, const TemplateValues& values);

} // namespace hostpin
