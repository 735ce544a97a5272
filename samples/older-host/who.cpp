// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints which compiler compiled which half, and which libstdc++ both halves run with.
#include "who.hpp"

#include <iostream>
#include <link.h>
#include <stdexcept>

namespace {

/// Prints and counts the C++ libraries that are loaded; more than one would be a mistake.
int loaded_libstdcxx(dl_phdr_info* object, std::size_t, void* seen) {
  const std::string path = object->dlpi_name;
  if (path.find("/libstdc++.so") != std::string::npos) {
    std::cout << "loads      " << path << "\n";
    ++*static_cast<int*>(seen);
  }
  return 0;
}

} // namespace

int main() {
  std::cout << "kernel.cu  " << compiler_of_kernel(false) << "\n"
            << "who.cpp    " << this_compiler() << "\n";
  try {
    compiler_of_kernel(true);
  } catch (const std::runtime_error& error) {
    std::cout << "caught     " << error.what() << "\n";
  }
  int libraries = 0;
  dl_iterate_phdr(loaded_libstdcxx, &libraries);
  return libraries == 1 ? 0 : 1;
}
