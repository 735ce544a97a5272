// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/facts/flags.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using Strings = std::vector<std::string>;

TEST_CASE("flags that choose headers and libraries are kept, those that make files are not") {
  struct Row {
    Strings given, kept;
  };
  const Row rows[] = {
      {{}, {}},
      {{"-O2", "-std=c++17", "-m32", "-stdlib=libc++"}, {"-O2", "-std=c++17", "-m32", "-stdlib=libc++"}},
      {{"-c", "-o", "x.o", "-S", "-E", "-fsyntax-only"}, {}},
      {{"-ox.o", "-MD", "-MF", "x.d", "-MFx.d", "-MTx", "-MQ", "x", "-MP", "-MMD", "-MM", "-MG", "-M"}, {}},
      {{"-save-temps=obj", "--save-temps", "-fdump-tree-all", "-Wp,-MMD,x.d", "-MJ", "x.json"}, {}},
      {{"-dumpbase", "x", "-dumpdir", "y/"}, {}},
      {{"-dM", "-", "-###", "-march=native", "-Wp,-DX"}, {"-march=native", "-Wp,-DX"}},
      {{"-Xlinker", "-o", "-Xclang", "-S", "-isystem", "-c"},
       {"-Xlinker", "-o", "-Xclang", "-S", "-isystem", "-c"}},
      {{"-L", "dir", "-Ldir", "--sysroot", "root"}, {"-L", "dir", "-Ldir", "--sysroot", "root"}},
      {{"-o"}, {}},
      {{"-Xlinker"}, {"-Xlinker"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.given);
    CHECK(asking_flags(row.given) == row.kept);
  }
}
