// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/parse_plan.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

ParsePlan plan_of(const Compiler* compiler, const std::string& source = "a.cpp") {
  Invocation invocation;
  invocation.driver = "c++";
  invocation.flags = {"-O2"};
  CompileCommand command;
  command.source = source;
  command.directory = "/build";
  return parse_plan(invocation, command, compiler, {"/system"}, "/resources");
}

Compiler gcc(Version version) {
  Compiler compiler;
  compiler.family = Family::gcc;
  compiler.version = version;
  compiler.target = "x86_64-linux-gnu";
  compiler.default_cplusplus = 201703;
  return compiler;
}

} // namespace

TEST_CASE("a source is read as its own compiler would read it") {
  const Compiler old = gcc({9, 4, 0});
  const ParsePlan plan = plan_of(&old);
  CHECK(plan.source == "a.cpp");
  CHECK(plan.directory == "/build");
  CHECK(plan.flags == std::vector<std::string>{"-O2"});
  CHECK(plan.system_directories == std::vector<std::string>{"/system"});
  CHECK(plan.resources == "/resources");
  CHECK(plan.triple == "x86_64-linux-gnu");
  CHECK(plan.standard == "gnu++17");
  CHECK(plan.gcc_version == "9.4.0");
}

TEST_CASE("a GCC from 11 on is imitated as 10.2, and only a GCC") {
  const Compiler newer = gcc({13, 2, 0});
  CHECK(plan_of(&newer).gcc_version == "10.2.0");
  Compiler clang = gcc({16, 0, 6});
  clang.family = Family::clang;
  CHECK(plan_of(&clang).gcc_version.empty());
}

TEST_CASE("the standard is the compiler's default, for C++ alone") {
  struct Row {
    long cplusplus;
    const char* standard;
  };
  const Row rows[] = {{0, ""},
                      {199711, "gnu++98"},
                      {201103, "gnu++11"},
                      {201709, "gnu++20"},
                      {202002, "gnu++20"},
                      {202302, "gnu++23"},
                      {202400, "gnu++26"}};
  for (const Row& row : rows) {
    Compiler compiler = gcc({10, 2, 0});
    compiler.default_cplusplus = row.cplusplus;
    CHECK(plan_of(&compiler).standard == row.standard);
  }
  Invocation invocation;
  invocation.driver = "gcc";
  CompileCommand command;
  command.source = "a.c";
  const Compiler compiler = gcc({10, 2, 0});
  const ParsePlan plan = parse_plan(invocation, command, &compiler, {}, {});
  CHECK(plan.is_c);
  CHECK(plan.standard.empty());
}

TEST_CASE("for an unknown compiler nothing is assumed") {
  const ParsePlan plan = plan_of(nullptr);
  CHECK(plan.triple.empty());
  CHECK(plan.standard.empty());
  CHECK(plan.gcc_version.empty());
  CHECK(plan.flags == std::vector<std::string>{"-O2"});
}
