// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <format>
#include <string>

std::string line(int number, double value) {
  return std::format("{:>5} {:.3f}", number, value);
}
