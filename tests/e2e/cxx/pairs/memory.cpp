// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strings, exceptions and virtual calls, and on demand an error that a sanitizer must report.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

struct Shape {
  virtual ~Shape() {}
  virtual int area(int side) const = 0;
};
struct Square : Shape {
  int area(int side) const override {
    if (side > 3)
      throw std::runtime_error("too large");
    return side * side;
  }
};

int main(int argc, char** argv) {
  const std::string mistake = argc > 1 ? argv[1] : "";
  std::vector<std::string> words;
  for (int i = 0; i < 100; ++i)
    words.push_back(std::string(40, static_cast<char>('a' + i % 26)));
  const Square square;
  const Shape* volatile shape = &square;
  int sum = shape->area(2);
  try {
    sum += shape->area(9);
  } catch (const std::exception&) {
    sum += 100;
  }
  int* volatile numbers = new int[10]();
  volatile int index = mistake == "heap" ? 10 : 4;
  sum += mistake == "heap" ? (numbers[index] & 1) : 0;
  volatile int large = mistake == "overflow" ? 2147483647 : 1;
  volatile int larger = large + 1;
  sum += larger & 2;
  delete[] numbers;
  void* volatile lost = std::malloc(44);
  if (mistake != "leak")
    std::free(lost);
  lost = nullptr;
  std::printf("sum %d of %zu\n", sum, words.size());
}
