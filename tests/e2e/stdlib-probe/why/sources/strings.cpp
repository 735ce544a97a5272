// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>

namespace {
template <typename Text>
Text twice(Text text) {
  text.replace(0, 1, "abc");
  return text + text;
}
} // namespace

std::string shorten(std::string text) {
  text = "longer text than before";
  text.insert(3, "x").append(text, 1, 4).erase(2, 1);
  text.resize(40, '-');
  text.reserve(200);
  return twice(text);
}

std::wstring widen(const std::string& text) {
  std::wstring wide(text.begin(), text.end());
  wide.assign(wide, 1, 3);
  wide.replace(0, 1, L"w");
  return wide;
}
