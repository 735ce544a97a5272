// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches and calls that coverage counts.
#include <cstdio>

static int step(int x) {
  return x > 3 ? x * 2 : x + 1;
}

int main() {
  int sum = 0;
  for (int i = 0; i < 100; ++i)
    sum += step(i);
  std::printf("sum %d\n", sum);
}
