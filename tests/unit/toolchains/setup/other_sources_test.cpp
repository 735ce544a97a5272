// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/scratch.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/setup/other_sources.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::setup;

namespace {

const Environment without_programs(Environment::Variables{{"PATH", "/nonexistent"}});

} // namespace

TEST_CASE("each source installs the compiler and binds it") {
  const auto all = other_sources({Family::gcc, 13, "x86_64", "/d d"}, without_programs);
  REQUIRE(all.size() == 3);
  CHECK(all[0].name == "conda-forge");
  CHECK(all[0].command ==
        "micromamba create --yes --prefix '/d d/conda' --override-channels --channel conda-forge "
        "gxx_linux-64=13 sysroot_linux-64=2.28\n"
        "hostpin bind --host '/d d/conda/bin/x86_64-conda-linux-gnu-g++' '/d d/toolchain'");
  CHECK(all[1].command == "nix-build '<nixpkgs>' --attr gcc13 --out-link '/d d/nix'\n"
                          "hostpin bind --host '/d d/nix/bin/g++' '/d d/toolchain'");
  CHECK(all[2].command == "spack install gcc@13\n"
                          "hostpin bind --host \"$(spack location -i gcc@13)/bin/g++\" '/d d/toolchain'");
}

TEST_CASE("a source has the names of Clang and of other machines, or is left out") {
  const auto clang = other_sources({Family::clang, 17, "aarch64", "/d"}, without_programs);
  REQUIRE(clang.size() == 3);
  CHECK(clang[0].command.find(" clangxx=17 gxx_linux-aarch64 sysroot_linux-aarch64=2.28\n") !=
        std::string::npos);
  CHECK(clang[1].command.find("clang_17 ") != std::string::npos);
  CHECK(clang[2].command.find("spack install llvm@17\n") == 0);
  CHECK(other_sources({Family::gcc, 13, "riscv64", "/d"}, without_programs).front().name == "Nix");
}

TEST_CASE("a source whose program is there comes first") {
  const auto scratch = ScratchDirectory::make(Environment());
  REQUIRE(scratch);
  REQUIRE(replace_file(scratch->path() + "/spack", "#!/bin/sh\n", true));
  const Environment with_spack(Environment::Variables{{"PATH", scratch->path()}});
  CHECK(other_sources({Family::gcc, 13, "x86_64", "/d"}, with_spack).front().name == "Spack");
  REQUIRE(replace_file(scratch->path() + "/conda", "#!/bin/sh\n", true));
  CHECK(other_sources({Family::gcc, 13, "x86_64", "/d"}, with_spack)
            .front()
            .command.starts_with("conda create "));
}
