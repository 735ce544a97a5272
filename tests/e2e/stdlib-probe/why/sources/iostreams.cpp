// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <iostream>
#include <sstream>

void greet(int count) {
  std::cout << "hello " << count << std::endl;
  std::ostringstream text;
  text << count * 1.5 << true;
  std::cerr << text.str();
}
