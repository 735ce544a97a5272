// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/error_code.hpp"
#include "toolchains/base/error_report.hpp"
#include "toolchains/base/files.hpp"

#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

constexpr auto last = ErrorKind::lto;

Outcome printed(std::string errors) {
  Outcome outcome;
  outcome.end = Outcome::End::exited;
  outcome.code = 2;
  outcome.errors = std::move(errors);
  return outcome;
}

/// As a program prints it that another one of hostpin runs.
std::string json_of(const Error& error) {
  ::setenv(errors_variable, "json", 1);
  std::string text = failure_text(error);
  ::unsetenv(errors_variable);
  return text;
}

} // namespace

TEST_CASE("each kind but the first has one code, which is documented") {
  CHECK(code_of(ErrorKind::other).empty());
  for (auto kind = static_cast<int>(ErrorKind::other) + 1; kind <= static_cast<int>(last); ++kind) {
    const std::string code(code_of(static_cast<ErrorKind>(kind)));
    REQUIRE_FALSE(code.empty());
    CHECK(kind_of_code(code) == static_cast<ErrorKind>(kind));
  }
  CHECK(std::size(error_codes) == static_cast<std::size_t>(last));
  CHECK(kind_of_code("no-such-code") == ErrorKind::other);
  CHECK(code_of(ErrorKind::no_fit) == "no-fit");
  CHECK(code_of(ErrorKind::lto) == "lto");
  CHECK(code_of(ErrorKind::link_proof) == "link-proof");
  CHECK(code_of(ErrorKind::no_answer) == "no-answer");
}

TEST_CASE("an error is printed with the code of its kind after its first line") {
  CHECK(failure_text({"a is missing", {}}) == "hostpin: error: a is missing\n");
  CHECK(failure_text({"nothing fits:\n  g++-16", "install g++-13", ErrorKind::no_fit}) ==
        "hostpin: error: nothing fits: [no-fit]\n  g++-16\nhint: install g++-13\n");
}

TEST_CASE("a line of a log has the kind of its code, whatever its message") {
  CHECK(kind_in_line("hostpin: error: anything [no-fit]") == ErrorKind::no_fit);
  CHECK(kind_in_line("  ninja: hostpin: error: anything [lto] \r") == ErrorKind::lto);
  CHECK(kind_in_line("hostpin: error: nothing fits CUDA 12.4") == ErrorKind::other);
  CHECK(kind_in_line("hostpin: error: set [lto] in the configuration") == ErrorKind::other);
  CHECK(kind_in_line("hostpin: error: anything [no-such-code]") == ErrorKind::other);
  CHECK(kind_in_line("warning: unused variable [lto]") == ErrorKind::other);
  CHECK(kind_in_line("[lto]") == ErrorKind::other);
  CHECK(kind_in_line("") == ErrorKind::other);
}

TEST_CASE("another program reads the error that was printed for it, with all its lines") {
  const Error error{"nothing fits:\n  g++-16 \"\\\xff", "install\tg++-13", ErrorKind::no_fit};
  const auto read = reported_error(printed("some other line\n" + json_of(error)));
  REQUIRE(read);
  CHECK(read->message == "nothing fits:\n  g++-16 \"\\\xef\xbf\xbd"); // JSON is UTF-8
  CHECK(read->hint == error.hint);
  CHECK(read->kind == error.kind);
}

TEST_CASE("several errors become one") {
  const auto read =
      reported_error(printed(json_of({"a", "try a"}) + json_of({"b", {}, ErrorKind::disk_full}) + "end"));
  REQUIRE(read);
  CHECK(read->message == "a\n  b");
  CHECK(read->hint == "try a");
  CHECK(read->kind == ErrorKind::disk_full);
}

TEST_CASE("what is not an error for programs is none") {
  CHECK_FALSE(reported_error(printed("")));
  CHECK_FALSE(reported_error(printed("hostpin: error: a is missing\n")));
  CHECK_FALSE(reported_error(printed("{\"kind\": \"lto\"}\n[1]\n{")));
}

TEST_CASE("only the program that is asked for JSON prints it, not one that it runs") {
  const HostProcesses processes;
  Command command;
  command.argv = {"/bin/sh", "-c", "echo ${HOSTPIN_ERRORS-text}"};
  CHECK(processes.run({&command, 1}).front().output == "text\n");
  command.errors_as_json = true;
  CHECK(processes.run({&command, 1}).front().output == "json\n");
  ::setenv(errors_variable, "json", 1);
  command.errors_as_json = false;
  CHECK(processes.run({&command, 1}).front().output == "text\n");
  ::unsetenv(errors_variable);
}
