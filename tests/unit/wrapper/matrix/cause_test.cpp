// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/cause.hpp"

#include <csignal>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin::matrix;

namespace {

const TracedOutcome failed{TracedOutcome::End::exited, 1, false};

std::string kind(const std::string& log, const std::string& stage = "build",
                 const TracedOutcome& outcome = failed) {
  return cause_of(stage, log, outcome, {}).kind;
}

} // namespace

TEST_CASE("a cause is the first specific line of a log") {
  const std::string log = "cc -c a.c\n/src/a.c:1:10: fatal error: x.h: No such file or directory\n"
                          "ninja: build stopped\nundefined reference to `f'\n";
  const Cause cause = cause_of("build", log, failed, {{"/src", "$SOURCE"}});
  CHECK(cause.kind == "header");
  CHECK(cause.text == "$SOURCE/a.c:1:10: fatal error: x.h: No such file or directory");
  CHECK(cause.stage == "build");
}

TEST_CASE("messages of tools have their kinds") {
  CHECK(kind("#error -- unsupported GNU version! gcc versions later than 13 are not supported!") == "gate");
  CHECK(kind("x.o: undefined reference to `std::f@GLIBCXX_3.4.32'") == "libstdcxx");
  CHECK(kind("./a: error while loading shared libraries: libx.so: cannot open shared object file", "test") ==
        "loading");
  CHECK(kind("./a: /lib/libstdc++.so.6: version `GLIBCXX_3.4.32' not found", "test") == "libstdcxx");
  CHECK(kind("CUDA error: no kernel image is available for execution on the device", "test") ==
        "device-code");
  CHECK(kind("lto1: fatal error: bytecode stream in file 'a.o' generated with LTO version 12.0 instead of "
             "11.3") == "lto");
  CHECK(kind("nvcc fatal   : Unsupported gpu architecture 'compute_35'") == "gpus");
  CHECK(kind("a.cpp:3: error: expected ';'") == "error");
  CHECK(kind("1/1 Test #1: t ...***Failed", "test") == "test");
  CHECK(kind("", "test") == "test");
}

TEST_CASE("what the machine did comes before what followed from it") {
  CHECK(kind("fatal error: a.h: No such file or directory\nwrite: No space left on device") == "disk");
  CHECK(cause_of_kind("disk")->is_loss);
  CHECK(kind("", "build", {TracedOutcome::End::signalled, SIGKILL, false}) == "killed");
  CHECK(kind("", "build", {TracedOutcome::End::timed_out, 0, false}) == "time");
  CHECK(kind("", "test", {TracedOutcome::End::signalled, SIGSEGV, false}) == "test");
}
