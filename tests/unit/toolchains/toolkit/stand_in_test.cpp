// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/toolkit/stand_in.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("the stand-in for a host compiler prints what a preprocessor makes of nvcc's question") {
  std::string path;
  {
    const auto program = HostStandIn::make(Environment{});
    REQUIRE(program);
    path = program->path();
    const Command command{{path, "-E", "/tmp/question.cpp"}, "", {}};
    const Outcome answer = HostProcesses().run({&command, 1}).front();
    CHECK(answer.ok());
    CHECK(answer.output.starts_with("__NV_CPLUSPLUS 201402L\n__NV_GNUC__ 6\n"));
  }
  CHECK_FALSE(DiskFiles{}.status(path));
}

TEST_CASE("it names the machine as nvcc's question does") {
  CHECK(host_properties("x86_64-linux-gnu").ends_with("__NV_LINUX__\n__NV_X86_64__\n"));
  CHECK(host_properties("aarch64-linux-gnu").find("\n__NV_AARCH64__\n") != std::string::npos);
  CHECK(host_properties("riscv64-linux-gnu").empty());
}
