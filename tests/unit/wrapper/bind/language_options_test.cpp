// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/language_options.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::bind;
using Words = std::vector<std::string>;

TEST_CASE("options of a language are left out, with their values") {
  CHECK(without_language_options({"/usr/bin/g++", "-std=c++20", "-O2", "-g", "-Wall", "-fno-rtti"}) ==
        Words{"/usr/bin/g++"});
  CHECK(without_language_options({"g++", "--std", "c++20", "-D", "A=-m32", "-DB", "-include", "x.h", "-I",
                                  "/x", "-march=native", "-x", "c++", "-MF", "d", "--param", "a=1",
                                  "-m32"}) == Words{"g++", "-m32"});
  CHECK(without_language_options({"clang++", "-Xclang", "-fno-pch-timestamp", "-stdlib=libc++"}) ==
        Words{"clang++", "-stdlib=libc++"});
}

TEST_CASE("what says which compiler, headers, libraries and target stays, in order and with its value") {
  for (const Words& command :
       {Words{"ccache", "/usr/bin/g++", "-m64"},
        Words{"g++", "--sysroot", "/-std=x", "-B", "-O2", "-isysroot", "/x", "-isystem", "-Dx", "-L/y",
              "-pthread"},
        Words{"clang++", "--gcc-install-dir=/x", "--gcc-toolchain=/y", "-gcc-toolchain", "/z",
              "--target=a-b-c", "-target", "-flto", "-nostdinc++", "-stdlib++-isystem", "/v1", "--config",
              "-Wall", "-fuse-ld=lld"},
        Words{"g++", "-D_GLIBCXX_USE_CXX11_ABI=0", "-fPIC", "-fabi-version=11", "-mcmodel=large", "-specs=x",
              "-Wl,-rpath,/x", "-Xlinker", "-fatal", "-static-libstdc++", "@more", "-unknown"}})
    CHECK(without_language_options(command) == command);
}

TEST_CASE("a value that is missing harms nothing") {
  CHECK(without_language_options({"g++", "-D"}) == Words{"g++"});
  CHECK(without_language_options({"g++", "-B"}) == Words{"g++", "-B"});
  CHECK(without_language_options({}).empty());
}
