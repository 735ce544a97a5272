# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Programs that a stdenv has to build: C, C++ with exceptions, OpenMP, AddressSanitizer. Sourced.

# write_programs DIRECTORY
write_programs() {
    cat >"$1/c.c" <<'CODE'
#include <math.h>
#include <stdio.h>
int main(int count, char **arguments) { return printf("C %.0f\n", sqrt(4.0 * count)) < 0 || !arguments; }
CODE
    cat >"$1/cxx.cpp" <<'CODE'
#include <iostream>
#include <stdexcept>
#include <thread>
int main() {
  std::thread([] {
    try {
      throw std::runtime_error("C++");
    } catch (const std::exception &error) {
      std::cout << error.what() << " ok\n";
    }
  }).join();
}
CODE
    cat >"$1/openmp.cpp" <<'CODE'
#include <cstdio>
#include <omp.h>
int main() {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(2)
  for (int i = 0; i < 100; ++i)
    sum += omp_get_num_threads();
  std::printf("OpenMP %d\n", sum);
}
CODE
    cat >"$1/address.cpp" <<'CODE'
#include <cstdio>
#include <vector>
int main(int count, char **) {
  std::vector<int> values(static_cast<unsigned>(count));
  std::printf("AddressSanitizer %d\n", values.data()[count > 1 ? count : 0]);
}
CODE
}

# build_programs BIN: in the working directory, which has the sources, by the cc and c++ there; prints what the programs print.
build_programs() {
    "$1/cc" -O2 c.c -lm -o c && ./c
    "$1/c++" -O2 cxx.cpp -o cxx && ./cxx
    "$1/c++" -fopenmp openmp.cpp -o openmp && ./openmp
    "$1/c++" -fsanitize=address -g address.cpp -o address && ./address
    if ./address overflow 2>found; then return 1; fi
    grep heap-buffer-overflow found >/dev/null
    "$1/c++" -static cxx.cpp -o static && ./static
    "$1/c++" -flto -O2 cxx.cpp -o lto && ./lto
}
