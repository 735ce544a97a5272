// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <charconv>
#include <string_view>

double number(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}
int whole(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}
