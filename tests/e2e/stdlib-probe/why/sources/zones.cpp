// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <chrono>
#include <string>

std::string here() {
  return std::string(std::chrono::current_zone()->name());
}
bool leap() {
  return !std::chrono::get_tzdb().leap_seconds.empty();
}
auto now() {
  return std::chrono::utc_clock::now();
}
