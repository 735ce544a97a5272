// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "toolchains/compiler/probe.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::FakeFiles;
using hostpin::test::FakeProcesses;

using Strings = std::vector<std::string>;

namespace {

// Shapes taken from GCC 12 and Clang 17 on Debian, shortened.
const std::string gcc_output = "namespace std { typedef long unsigned int size_t; }\n"
                               "hostpin_probe cplusplus 201703L\nhostpin_probe pointer 8\n"
                               "hostpin_probe gnuc 12 2 0\nhostpin_probe glibc \n                   2 36\n"
                               "hostpin_probe libstdcxx \n                       12\nhostpin_probe end 1\n";
const std::string gcc_errors =
    "Using built-in specs.\nCOLLECT_GCC=/usr/bin/g++-12\nTarget: x86_64-linux-gnu\ngcc version 12.2.0\n"
    " /usr/lib/gcc/x86_64-linux-gnu/12/cc1plus -E -quiet -v -imultiarch x86_64-linux-gnu -D_GNU_SOURCE -\n"
    "ignoring nonexistent directory \"/usr/local/include/x86_64-linux-gnu\"\n"
    "#include \"...\" search starts here:\n#include <...> search starts here:\n"
    " /usr/include/c++/12\n /usr/lib/gcc/x86_64-linux-gnu/12/include\n /usr/include\nEnd of search list.\n"
    "COMPILER_PATH=/usr/lib/gcc/x86_64-linux-gnu/12/\n"
    "LIBRARY_PATH=/opt/stubs/:/usr/lib/gcc/x86_64-linux-gnu/12/:/usr/lib/x86_64-linux-gnu/\n";
const std::string clang_output =
    "hostpin_probe cplusplus 201703L\nhostpin_probe pointer 8\nhostpin_probe gnuc 4 2 1\n"
    "hostpin_probe clang_version 17 0 6\nhostpin_probe glibc 2 36\n"
    "hostpin_probe libstdcxx 12\nhostpin_probe end 1\n";
const std::string clang_errors =
    "Debian clang version 17.0.6 (22+b2)\nTarget: x86_64-pc-linux-gnu\nThread model: posix\nInstalledDir: "
    "/usr/bin\n"
    "Found candidate GCC installation: /usr/lib/gcc/x86_64-linux-gnu/11\n"
    "Selected GCC installation: /usr/bin/../lib/gcc/x86_64-linux-gnu/12\n (in-process)\n"
    " \"/usr/lib/llvm-17/bin/clang\" -cc1 -triple x86_64-pc-linux-gnu -E -x c++ -\n"
    "#include <...> search starts here:\n /usr/include/c++/12\n /usr/include\nEnd of search list.\n";

FakeFiles machine() {
  FakeFiles files;
  files.program("/usr/bin/x86_64-linux-gnu-g++-12")
      .link("/usr/bin/g++-12", "/usr/bin/x86_64-linux-gnu-g++-12");
  files.program("/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus")
      .file("/usr/lib/gcc/x86_64-linux-gnu/12/crtbegin.o");
  files.program("/usr/lib/llvm-17/bin/clang").link("/usr/bin/clang++-17", "/usr/lib/llvm-17/bin/clang");
  files.file("/usr/include/c++/12/cstddef").file("/usr/include/features.h");
  return files;
}

Outcome exited(std::string output, std::string errors, int code = 0) {
  Outcome outcome;
  outcome.end = Outcome::End::exited;
  outcome.code = code;
  outcome.output = std::move(output);
  outcome.errors = std::move(errors);
  return outcome;
}

const DriverCandidate gcc_driver{{"/usr/bin/g++-12"}, "PATH"};
const DriverCandidate clang_driver{{"/usr/bin/clang++-17"}, "PATH"};

Compiler understood(const DriverCandidate& candidate, const Outcome& outcome) {
  const ProbeAnswer answer = read_answer(machine(), candidate, outcome);
  if (const auto* broken = std::get_if<BrokenCompiler>(&answer))
    FAIL(broken->reason);
  return std::get<Compiler>(answer);
}

std::string refused(const Outcome& outcome) {
  const ProbeAnswer answer = read_answer(machine(), gcc_driver, outcome);
  const auto* broken = std::get_if<BrokenCompiler>(&answer);
  return broken == nullptr ? "not broken" : broken->reason;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

} // namespace

TEST_CASE("a driver that makes position-independent programs by default is recognised") {
  CHECK_FALSE(understood(gcc_driver, exited(gcc_output, gcc_errors)).default_pie);
  const std::string output =
      replaced(gcc_output, "hostpin_probe end", "hostpin_probe pie 1\nhostpin_probe end");
  CHECK(understood(gcc_driver, exited(output, gcc_errors)).default_pie);
}

TEST_CASE("a GCC's answer is parsed") {
  const Compiler gcc = understood(gcc_driver, exited(gcc_output, gcc_errors));
  CHECK(gcc.command == Strings{"/usr/bin/g++-12"});
  CHECK(gcc.origin == "PATH");
  CHECK(gcc.family == Family::gcc);
  CHECK(gcc.version == Version{12, 2, 0});
  CHECK(gcc.target == "x86_64-linux-gnu");
  CHECK(gcc.glibc == Version{2, 36, 0});
  CHECK(gcc.default_cplusplus == 201703);
  CHECK(gcc.front_end == "/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus");
  CHECK(gcc.gcc_install == "/usr/lib/gcc/x86_64-linux-gnu/12");
  CHECK(gcc.include_directories ==
        Strings{"/usr/include/c++/12", "/usr/lib/gcc/x86_64-linux-gnu/12/include", "/usr/include"});
  CHECK(gcc.library.kind == "libstdc++");
  CHECK(gcc.library.release == 12);
  CHECK(gcc.files == Strings{"/usr/bin/g++-12", "/usr/bin/x86_64-linux-gnu-g++-12",
                             "/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus"});
}

TEST_CASE("the C library is where its own <math.h> is, and the answer rests on that file") {
  FakeFiles files = machine();
  files.file("/usr/include/c++/12/cmath").file("/usr/include/c++/12/math.h").file("/usr/include/math.h");
  files.file("/usr/lib/gcc/x86_64-linux-gnu/12/include/features.h"); // one that is not next to <math.h>
  const Outcome outcome = exited(gcc_output, gcc_errors);
  const ProbeAnswer answer = read_answers(files, {&gcc_driver, 1}, {&outcome, 1}).front();
  REQUIRE(std::holds_alternative<Compiler>(answer));
  const auto& gcc = std::get<Compiler>(answer);
  CHECK(gcc.c_headers == "/usr/include");
  CHECK(gcc.files.back() == "/usr/include/math.h");
}

TEST_CASE("a Clang's answer is parsed, though it also claims to be GCC 4.2") {
  const Compiler clang = understood(clang_driver, exited(clang_output, clang_errors));
  CHECK(clang.family == Family::clang);
  CHECK(clang.product.empty());
  CHECK(clang.version == Version{17, 0, 6});
  CHECK(clang.target == "x86_64-linux-gnu");
  CHECK(clang.front_end == "/usr/lib/llvm-17/bin/clang");
  CHECK(clang.gcc_install == "/usr/lib/gcc/x86_64-linux-gnu/12");
  CHECK(clang.files == Strings{"/usr/bin/clang++-17", "/usr/lib/llvm-17/bin/clang"});
}

TEST_CASE("Intel's and NVIDIA's compilers are neither GCC nor Clang") {
  const Compiler intel = understood(clang_driver, exited(replaced(clang_output, "hostpin_probe end",
                                                                  "hostpin_probe icpx 1\nhostpin_probe end"),
                                                         clang_errors));
  CHECK(intel.family == Family::other);
  CHECK(intel.product == "icpx");
  const Compiler nvidia = understood(
      gcc_driver,
      exited(replaced(gcc_output, "hostpin_probe end", "hostpin_probe nvcxx 24 3 0\nhostpin_probe end"),
             gcc_errors));
  CHECK(nvidia.family == Family::other);
  CHECK(nvidia.version == Version{24, 3, 0});
}

TEST_CASE("targets are compared in one spelling") {
  struct Row {
    const char* printed;
    const char* pointer;
    const char* target;
  };
  const Row rows[] = {{"x86_64-linux-gnu", "8", "x86_64-linux-gnu"},
                      {"x86_64-redhat-linux", "8", "x86_64-linux-gnu"},
                      {"x86_64-conda-linux-gnu", "8", "x86_64-linux-gnu"},
                      {"x86_64-unknown-linux-musl", "8", "x86_64-linux-musl"},
                      {"aarch64-linux-gnu", "8", "aarch64-linux-gnu"},
                      {"arm-linux-gnueabihf", "4", "arm-linux-gnueabihf"},
                      {"i586-suse-linux", "4", "i686-linux-gnu"},
                      {"x86_64-linux-gnu", "4", "i686-linux-gnu"},
                      {"x86_64-w64-mingw32", "8", "x86_64-w64-mingw32"}};
  for (const Row& row : rows) {
    CAPTURE(row.printed);
    const std::string output = replaced(gcc_output, "pointer 8", std::string("pointer ") + row.pointer);
    CHECK(understood(gcc_driver, exited(output, replaced(gcc_errors, "x86_64-linux-gnu\n",
                                                         std::string(row.printed) + '\n')))
              .target == row.target);
  }
}

TEST_CASE("paths with spaces and quotes are read from either family") {
  FakeFiles files = machine();
  files.program("/my gcc/cc1plus").program("/my \"clang\"/clang");
  const auto gcc =
      read_answer(files, gcc_driver,
                  exited(gcc_output, replaced(gcc_errors, " /usr/lib/gcc/x86_64-linux-gnu/12/cc1plus",
                                              " /my gcc/cc1plus")));
  CHECK(std::get<Compiler>(gcc).front_end == "/my gcc/cc1plus");
  const auto clang =
      read_answer(files, clang_driver,
                  exited(clang_output, replaced(clang_errors, "/usr/lib/llvm-17/bin/clang\" -cc1",
                                                "/my \\\"clang\\\"/clang\" -cc1")));
  CHECK(std::get<Compiler>(clang).front_end == "/my \"clang\"/clang");
}

TEST_CASE("a driver that does not answer properly is broken, with the reason") {
  Outcome hung;
  hung.end = Outcome::End::timed_out;
  hung.code = 5000;
  Outcome crashed;
  crashed.end = Outcome::End::signalled;
  crashed.code = 11;
  Outcome missing;
  missing.code = 2;
  Outcome flood = exited(gcc_output, gcc_errors);
  flood.truncated = true;
  struct Row {
    Outcome outcome;
    const char* reason;
  };
  const Row rows[] = {
      {hung, "did not answer within 5 s"},
      {crashed, "killed by signal 11"},
      {missing, "No such file or directory"},
      {flood, "printed more than could be read"},
      {exited("", "", 1), "exited with 1"},
      {exited("", "hello\ng++: fatal error: cannot execute 'cc1plus'\nlater\n", 1),
       "exited with 1: g++: fatal error: cannot execute 'cc1plus'"},
      {exited("", "mpicxx: no compiler\n------\n", 1), "exited with 1: mpicxx: no compiler"},
      {exited("", "\x1b[31m\xff\xfe error\n", 1), "exited with 1: ?[31m?? error"},
      {exited("", ""), "did not preprocess C++ from its standard input"},
      {exited("hello\n", "world\n"), "did not preprocess C++ from its standard input"},
      {exited(gcc_output.substr(0, gcc_output.find("hostpin_probe end")), gcc_errors),
       "did not preprocess C++ from its standard input"},
      {exited(replaced(gcc_output, "gnuc 12 2 0", "gnuc x y z"), gcc_errors), "printed no version"},
      {exited(replaced(gcc_output, "gnuc 12 2 0", "gnuc 99999999999999999999 0 0"), gcc_errors),
       "printed no version"},
      {exited(replaced(gcc_output, "gnuc 12 2 0", "gnuc -12 2 0"), gcc_errors), "printed no version"},
      {exited(replaced(gcc_output, "cplusplus 201703L", "cplusplus __cplusplus"), gcc_errors),
       "is not a C++ compiler"},
      {exited(gcc_output, replaced(gcc_errors, "Target: x86_64-linux-gnu\n", "")), "printed no target"},
      {exited(gcc_output, replaced(gcc_errors, "Target: ", "Target: any of ")), "printed no target"},
      {exited(gcc_output, replaced(gcc_errors, "12/cc1plus", "13/cc1plus")),
       "did not show which program compiles"},
      {exited(gcc_output, "Target: x86_64-linux-gnu\n"), "did not show which program compiles"}};
  for (const Row& row : rows)
    CHECK(refused(row.outcome) == row.reason);
}

TEST_CASE("all drivers are probed in one batch, and each answer belongs to its driver") {
  const std::string ask = " -v -E -x c++ -";
  FakeProcesses processes;
  processes.answer("/usr/bin/g++-12" + ask, gcc_output, gcc_errors);
  processes.answer("/usr/bin/clang++-17 -m64" + ask, clang_output, clang_errors);
  const DriverCandidate candidates[] = {
      gcc_driver, {{"/nonexistent"}, "configuration"}, {{"/usr/bin/clang++-17", "-m64"}, "PATH"}};
  const auto answers = probe_drivers(machine(), processes, candidates);
  REQUIRE(answers.size() == 3);
  CHECK(processes.rounds == 1);
  CHECK(std::get<Compiler>(answers[0]).family == Family::gcc);
  CHECK(std::get<BrokenCompiler>(answers[1]).origin == "configuration");
  CHECK(std::get<Compiler>(answers[2]).command == Strings{"/usr/bin/clang++-17", "-m64"});
}

TEST_CASE("one compiler counts once, in its first spelling, unless its headers or C library differ") {
  const Compiler first = understood(gcc_driver, exited(gcc_output, gcc_errors));
  Compiler launched = first;
  launched.command = {"/usr/bin/ccache", "/usr/bin/g++-12"};
  Compiler newer_glibc = first;
  newer_glibc.glibc = Version{2, 41, 0};
  Compiler other_root = first;
  other_root.include_directories = {"/other/include"};
  const CompilerSurvey survey =
      distinct_compilers({first, BrokenCompiler{{"/x"}, "PATH", "why"}, launched, newer_glibc, other_root});
  REQUIRE(survey.compilers.size() == 3);
  CHECK(survey.compilers[0].command == first.command);
  REQUIRE(survey.duplicates.size() == 1);
  CHECK(survey.duplicates[0].compiler.command == launched.command);
  CHECK(survey.duplicates[0].same_as == first.command);
  CHECK(survey.broken.size() == 1);
}
