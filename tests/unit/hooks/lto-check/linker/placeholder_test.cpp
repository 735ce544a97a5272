// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/linker/placeholder.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using Strings = std::vector<std::string>;

TEST_CASE("each run of inputs is one word, and comes back where it stood") {
  const Placeholders short_form =
      replace_inputs({"g++", "a.o", "b.a", "-lm", "x/libc.so.6", "-o", "out.so", "d.cpp", "e.o"});
  CHECK(short_form.command == Strings{"g++", "-Wl,--hostpin-inputs=0", "-lm", "-Wl,--hostpin-inputs=1", "-o",
                                      "hostpin-output", "d.cpp", "-Wl,--hostpin-inputs=2"});
  CHECK(put_inputs_back({"ld", "crt1.o", "--hostpin-inputs=0", "-lm", "--hostpin-inputs=1", "/tmp/cc.o",
                         "--hostpin-inputs=2", "--hostpin-inputs=3", "--hostpin-inputs=x"},
                        short_form) == Strings{"ld", "crt1.o", "a.o", "b.a", "-lm", "x/libc.so.6",
                                               "/tmp/cc.o", "e.o", "--hostpin-inputs=3",
                                               "--hostpin-inputs=x"});
}

TEST_CASE("commands that differ in objects and output ask the same") {
  CHECK(replace_inputs({"g++", "-flto", "a.o", "b.o", "-o", "one"}).command ==
        replace_inputs({"g++", "-flto", "c.o", "-o", "two"}).command);
  CHECK(replace_inputs({"g++", "-flto", "a.o"}).command != replace_inputs({"g++", "a.o"}).command);
}

TEST_CASE("values of options and what stands behind -x are left alone") {
  CHECK(replace_inputs({"g++", "-T", "x.o", "-Xlinker", "y.o"}).inputs.empty());
  const Strings command{"g++", "-x", "c", "a.o"};
  CHECK(replace_inputs(command).command == command);
}
