// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/cause.hpp"

#include <csignal>
#include <string>

#include <doctest/doctest.h>

using hostpin::ErrorKind;
using namespace hostpin::matrix;

namespace {

const TracedOutcome failed{TracedOutcome::End::exited, 1, false};

std::string kind(const std::string& log, const std::string& stage = "build",
                 const TracedOutcome& outcome = failed) {
  return cause_of(stage, log, outcome, {}).kind;
}

Decided refused(const std::string& message, ErrorKind kind = ErrorKind::other) {
  Decided decided;
  decided.reason = message;
  decided.hint = "x";
  decided.kind = kind;
  return decided;
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

TEST_CASE(
    "with a clash of the C library and the toolkit no compiler works, so it is the cause of a refusal") {
  const Cause clash = cause_of_refusal(
      refused("no host compiler fits CUDA 12.4 (wants GCC 6-13)\n  g++-16  16.1.0\n"
              "      newer than 13\n  g++-12  12.2.0\n"
              "      glibc 2.41 and the toolkit declare cospi with different exception specifications\n",
              ErrorKind::no_fit));
  CHECK(clash.kind == "c-library");
  CHECK(clash.text == "glibc 2.41 and the toolkit declare cospi with different exception specifications");
  const Cause gate = cause_of_refusal(
      refused("no host compiler fits CUDA 12.4 (wants GCC 6-13)\n  g++-16  16.1.0", ErrorKind::no_fit));
  CHECK(gate.kind == "gate");
  CHECK(gate.text == "no host compiler fits CUDA 12.4 (wants GCC 6-13)");
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

TEST_CASE("an error of hostpin's has the cause of its code, whatever its text") {
  CHECK(kind("hostpin: error: any text [no-fit]") == "gate");
  CHECK(kind("hostpin: error: any text [link-proof]\n  f needs GLIBCXX_3.4.32") == "link-proof");
  CHECK(kind("hostpin: error: any text [lto]") == "lto");
  CHECK(kind("hostpin: error: any text [no-answer]") == "no-answer");
  CHECK(kind("hostpin: error: any text [disk-full]") == "disk");
  CHECK(kind("hostpin: error: any text [unreachable]") == "error");
  CHECK(kind("hostpin: error: the link-time code needs GLIBC, and did not answer within 5 s") == "error");
}

TEST_CASE("a proven refusal is not confused with tools that are missing or did not answer") {
  CHECK(cause_of_refusal(refused("any text", ErrorKind::no_fit)).kind == "gate");
  CHECK(cause_of_refusal(refused("any text", ErrorKind::lto)).kind == "lto");
  CHECK(cause_of_refusal(refused("any text", ErrorKind::no_answer)).kind == "no-answer");
  CHECK(cause_of_refusal(refused("the list \"3.5\" cannot be used:\n  3.5: not supported")).kind == "gpus");
  CHECK(cause_of_refusal(refused("no CUDA 12.4 was found")).kind == "no-binding");
  CHECK(unanswered("any text\n  more") == "any text");
  CHECK(unanswered("no host compiler fits\n  g++-9  did not answer within 5 s\n  more") ==
        "g++-9  did not answer within 5 s");
  CHECK(cause_of_kind("no-answer")->is_loss);
}

TEST_CASE("what the machine did comes before what followed from it") {
  CHECK(kind("fatal error: a.h: No such file or directory\nwrite: No space left on device") == "disk");
  CHECK(cause_of_kind("disk")->is_loss);
  CHECK(kind("", "build", {TracedOutcome::End::signalled, SIGKILL, false}) == "killed");
  CHECK(kind("", "build", {TracedOutcome::End::timed_out, 0, false}) == "time");
  CHECK(kind("", "build", {TracedOutcome::End::too_much_memory, 0, false}) == "memory-limit");
  CHECK_FALSE(cause_of_kind("memory-limit")->is_loss);
  CHECK(kind("", "test", {TracedOutcome::End::exited, 137, false, true, true}) == "memory");
  CHECK(kind("", "test", {TracedOutcome::End::exited, 137, false, true, false}) == "test");
  CHECK(kind("", "test", {TracedOutcome::End::signalled, SIGSEGV, false}) == "test");
}
