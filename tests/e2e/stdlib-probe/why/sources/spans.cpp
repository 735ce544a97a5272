// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <span>
#include <spanstream>
#include <sstream>
#include <string>

int read(std::span<char> buffer) {
  std::spanstream stream(buffer);
  int value = 0;
  stream >> value;
  return value;
}
std::string_view view(std::ostringstream& stream) {
  stream << 1;
  return stream.view();
}
