// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/case_names.hpp"
#include "toolchains/redist/tree/compose_facts.hpp"
#include "toolchains/redist/tree/rewrite.hpp"

#include <doctest/doctest.h>

using namespace hostpin::redist;

TEST_CASE("a pkg-config file is made relative to itself, and leads to the stubs") {
  const std::string text = "cudaroot=/usr/local/cuda-12.4\nlibdir=${cudaroot}/targets/x86_64-linux/lib\n"
                           "includedir=${cudaroot}/targets/x86_64-linux/include\n\nName: cuda\n"
                           "Libs: -L${libdir} -lcuda\n";
  CHECK(lacks_stubs(text));
  const std::string changed = relocatable_pkgconfig(text);
  CHECK(changed == "cudaroot=${pcfiledir}/../..\nlibdir=${pcfiledir}/../../lib\n"
                   "includedir=${pcfiledir}/../../include\n\nName: cuda\n"
                   "Libs: -L${libdir} -L${libdir}/stubs -lcuda\n");
  CHECK_FALSE(lacks_stubs(changed));
  CHECK(relocatable_pkgconfig(changed) == changed);
  CHECK_FALSE(lacks_stubs("Libs: -L${libdir} -lcudart\n"));
}

TEST_CASE("colliding names are found among directories too") {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  CHECK(names_that_collide({"a/B", "a/c"}).empty());
  CHECK(names_that_collide({"A/x", "a/y"}) == Pairs{{"A", "a"}});
  CHECK(names_that_collide({"a", "a/b"}) == Pairs{{"a", "a"}});
}

TEST_CASE("names of libraries have a stem and a version") {
  CHECK(library_stem("libnvrtc.so.13") == "libnvrtc");
  CHECK(library_version("libnvrtc.so.13.0") == "13.0");
  CHECK(library_stem("libnvrtc-builtins.so") == "libnvrtc-builtins");
  CHECK(library_version("libnvrtc.so").empty());
  CHECK(library_stem("lib.sox") == "lib.sox");
}
