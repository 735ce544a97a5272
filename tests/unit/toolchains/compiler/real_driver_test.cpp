// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/compiler/real_driver.hpp"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("names of C++ drivers are read") {
  struct Row {
    const char* name;
    const char* target;
    Version version;
  };
  const Row rows[] = {{"c++", "", {}},
                      {"g++", "", {}},
                      {"clang++", "", {}},
                      {"g++-13", "", {13, 0, 0}},
                      {"clang++-17", "", {17, 0, 0}},
                      {"g++-4.8", "", {4, 8, 0}},
                      {"x86_64-linux-gnu-g++-13", "x86_64-linux-gnu", {13, 0, 0}},
                      {"aarch64-linux-gnu-g++", "aarch64-linux-gnu", {}},
                      {"x86_64-conda-linux-gnu-c++", "x86_64-conda-linux-gnu", {}},
                      {"gcc10-g++", "gcc10", {}},
                      {"icpx", "", {}},
                      {"nvc++", "", {}},
                      {"mpicxx", "", {}}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const auto name = driver_name(row.name);
    REQUIRE(name);
    CHECK(name->target == row.target);
    CHECK(name->version == row.version);
  }
}

TEST_CASE("names of other programs are none, CC and tools of a compiler among them") {
  for (const char* name : {"",           "-",       "gcc",
                           "gcc-13",     "clang",   "clang-17",
                           "CC",         "cc",      "g++-13-newglibc",
                           "g++-",       "-g++",    "afl-g++",
                           "ccache-g++", "lang++",  "clang++-cpp",
                           "gcc-ar-13",  "c++filt", "x86_64-linux-gnu-gcc",
                           "g++.real",   "nvcc",    "clang-format-14"}) {
    CAPTURE(name);
    CHECK_FALSE(driver_name(name));
  }
}

TEST_CASE("in one directory the specific spelling comes first, and the newest of each kind") {
  std::vector<std::string> names{
      "mpicxx", "c++",      "x86_64-linux-gnu-g++-13", "clang++", "g++", "clang++-17", "g++-9", "g++-13",
      "icpx",   "clang++-9"};
  std::sort(names.begin(), names.end(),
            [](const auto& a, const auto& b) { return comes_before(*driver_name(a), *driver_name(b)); });
  CHECK(names == std::vector<std::string>{"g++-13", "g++-9", "clang++-17", "clang++-9", "g++", "clang++",
                                          "c++", "x86_64-linux-gnu-g++-13", "icpx", "mpicxx"});
}

using Words = std::vector<std::string>;

TEST_CASE("a script that only executes another program is read") {
  CHECK(launched_by("#!/bin/sh\nexec /usr/bin/g++-13 \"$@\"\n") == Words{"/usr/bin/g++-13"});
  CHECK(launched_by("#!/bin/sh\n# why\n\nexec /g++ -m64  --sysroot=/r \"$@\"") ==
        Words{"/g++", "-m64", "--sysroot=/r"});
  CHECK(launched_by("#!/bin/sh\nPATH=/x:$PATH COMPILER_PATH=/y exec /clang++ \"$@\"\n") == Words{"/clang++"});
}

TEST_CASE("a script that may do anything else is not") {
  for (const char* const script : {"",
                                   "#!/bin/sh\n",
                                   "exec /g++ \"$@\"\n",
                                   "#!/bin/bash\nexec /g++ \"$@\"\n",
                                   "#!/bin/sh\nLD_LIBRARY_PATH=/x exec /g++ \"$@\"\n",
                                   "#!/bin/sh\nLIBRARY_PATH=/x exec /g++ \"$@\"\n",
                                   "#!/bin/sh\nCPATH=/x exec /g++ \"$@\"\n",
                                   "#!/bin/zsh\nexec /g++ \"$@\"\n",
                                   "#!/bin/sh -e\nexec /g++ \"$@\"\n",
                                   "#!/bin/sh\n/g++ \"$@\"\n",
                                   "#!/bin/sh\nexec g++ \"$@\"\n",
                                   "#!/bin/sh\nexec /g++ $@\n",
                                   "#!/bin/sh\nexec /g++ \"$@\" -m64\n",
                                   "#!/bin/sh\nexec /g++ $FLAGS \"$@\"\n",
                                   "#!/bin/sh\nexec /g++ '-DX=1' \"$@\"\n",
                                   "#!/bin/sh\nexec /g++ `date` \"$@\"\n",
                                   "#!/bin/sh\nexec /g++ -D* \"$@\"\n",
                                   "#!/bin/sh\nexec /g++ ~/x \"$@\"\n",
                                   "#!/bin/sh\nX=$Y exec /g++ \"$@\"\n",
                                   "#!/bin/sh\nMANPATH=/x:$PATH exec /g++ \"$@\"\n",
                                   "#!/bin/sh\nset -x\nexec /g++ \"$@\"\n",
                                   "#!/bin/sh\nexec /g++ \"$@\"; true\n",
                                   "#!/bin/sh\nexec /g++ \\\n\"$@\"\n",
                                   "#!/bin/sh\nexec \"$@\"\n",
                                   "#!/bin/sh\nexec /g++ -x\t\"$@\"\n"})
    CHECK_FALSE(launched_by(script));
}

TEST_CASE("wrappers are distinguished from drivers") {
  const DiskFiles files;
  for (const char* name : {"/none/mpicxx", "/none/mpic++", "/none/mpiCC", "/none/ccache"})
    CHECK(is_wrapper(name, files));
  for (const char* name : {"/none/g++-13", "/none/clang-17", "/none/aarch64-linux-gnu-g++-12", "/none/icpx"})
    CHECK_FALSE(is_wrapper(name, files));
}
