// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/identity/question.hpp"

#include <algorithm>

namespace hostpin {

bool is_repeated_as_it_is(std::string_view name) {
  return name.starts_with('/') && std::all_of(name.begin(), name.end(), [](char c) {
           return c >= ' ' && c <= '~' && c != '"' && c != '\\';
         });
}

std::string_view asked_file(std::span<const char* const> arguments) {
  constexpr std::string_view ending = ".cpp"; // makes compilers read it as C++
  if (arguments.size() != 2 || std::string_view(arguments[0]) != "-E")
    return {};
  const std::string_view name = arguments[1];
  const bool usual = is_repeated_as_it_is(name) && name.ends_with(ending) &&
                     name[name.size() - ending.size() - 1] != '/' &&
                     name.find("//") == std::string_view::npos;
  return usual ? name : std::string_view();
}

} // namespace hostpin
