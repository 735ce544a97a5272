// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <regex>
#include <string>

bool is_version(const std::string& text) {
  static const std::regex pattern("([0-9]+)\\.([0-9]+)");
  std::smatch match;
  return std::regex_match(text, match, pattern);
}
