// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/e2e/discovery/real.hpp"
#include "toolchains/library/link_plan.hpp"

using namespace hostpin;
using namespace hostpin::test;

namespace {

// Needs the library for more than a name: strings, streams and an exception; it prints which library it runs
// with.
constexpr const char* program = R"(
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
int main() {
  try {
    throw std::runtime_error("thrown");
  } catch (const std::exception&) {
  }
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("/libstdc++.so") != std::string::npos) {
      std::cout << line.substr(line.find('/')) << std::endl;
      return 0;
    }
  return 1;
}
)";

Outcome run(std::vector<std::string> argv) {
  const Command command{std::move(argv), "", {}};
  return HostProcesses().run({&command, 1}).front();
}

/// Compiles with the host compiler, links by the plan, runs, and returns which library was loaded.
std::string loaded_library(const Compiler& host, const LinkPlan& plan) {
  const Scratch scratch;
  const std::string source = scratch.path("program.cpp");
  const std::string object = scratch.path("program.o");
  std::ofstream(source) << program;
  std::vector<std::string> compile = host.command;
  compile.insert(compile.end(), {"-c", source, "-o", object});
  const Outcome compiled = run(compile);
  if (!compiled.ok())
    return "not compiled: " + compiled.errors;
  std::vector<std::string> link = plan.command;
  link.insert(link.end(), {object, "-o", scratch.path("program")});
  const Outcome linked = run(link);
  if (!linked.ok())
    return "not linked: " + linked.errors;
  const Outcome ran = run({scratch.path("program")});
  if (!ran.ok())
    return "not run: " + describe(ran) + ran.errors;
  return ran.output.substr(0, ran.output.find('\n'));
}

void check_pair(const Compiler& host, const Compiler& stdenv) {
  CAPTURE(host.command.front());
  CAPTURE(stdenv.command.front());
  const auto facts = library_facts(DiskFiles(), HostProcesses(), stdenv);
  REQUIRE(facts);
  const auto plan = plan_link(host, stdenv, *facts, DiskFiles(), HostProcesses());
  if (!plan) {
    FAIL_CHECK(plan.error().message);
    return;
  }
  CHECK(loaded_library(host, *plan) == facts->library.path);
}

/// A stdenv whose libstdc++ is where no loader looks by default: a copy of the system's, found through -B as
/// a locally built GCC would find it in its own tree.
std::optional<Compiler> stdenv_with_own_library(const Scratch& scratch) {
  const auto system = asked({"/usr/bin/g++"});
  if (!system)
    return std::nullopt;
  const auto facts = library_facts(DiskFiles(), HostProcesses(), *system);
  REQUIRE(facts);
  const std::filesystem::path lib = scratch.path("lib");
  std::filesystem::create_directory(lib);
  std::filesystem::copy_file(facts->library.path, lib / "libstdc++.so.6.0.99");
  std::filesystem::create_symlink("libstdc++.so.6.0.99", lib / "libstdc++.so.6");
  std::filesystem::create_symlink("libstdc++.so.6", lib / "libstdc++.so");
  return asked({scratch.script("g++", "exec /usr/bin/g++ '-B" + lib.string() + "/' \"$@\"")});
}

} // namespace

TEST_CASE("objects of any Clang link and run with the library of a GCC stdenv") {
  const auto stdenv = lab_compiler("g++-12");
  if (!stdenv)
    return;
  for (const char* const name : {"clang++-13", "clang++-14", "clang++-15", "clang++-16", "clang++-17",
                                 "clang++-18", "clang++-19", "clang++-21", "clang++-22"})
    if (const auto host = lab_compiler(name))
      check_pair(*host, *stdenv);
}

TEST_CASE("objects of an older GCC link and run with the library of a Clang stdenv") {
  const auto host = lab_compiler("g++-11");
  const auto stdenv = lab_compiler("clang++-19");
  if (host && stdenv)
    check_pair(*host, *stdenv);
}

TEST_CASE("within a family the stdenv links what an older compiler made") {
  for (const auto& [older, newer] : {std::pair("g++-11", "g++-15"), std::pair("g++-12", "g++-16"),
                                     std::pair("clang++-14", "clang++-19")}) {
    const auto host = lab_compiler(older);
    const auto stdenv = lab_compiler(newer);
    if (!host || !stdenv)
      continue;
    const auto facts = library_facts(DiskFiles(), HostProcesses(), *stdenv);
    REQUIRE(facts);
    const auto plan = plan_link(*host, *stdenv, *facts, DiskFiles(), HostProcesses());
    REQUIRE(plan);
    CHECK(plan->command == stdenv->command);
    CHECK(loaded_library(*host, *plan) == loaded_library(*stdenv, *plan));
  }
}

TEST_CASE("a library that no loader finds by itself is linked and loaded across families") {
  const Scratch scratch;
  const auto stdenv = stdenv_with_own_library(scratch);
  if (!stdenv)
    return;
  for (const char* const name : {"clang++-14", "clang++-19"})
    if (const auto host = lab_compiler(name))
      check_pair(*host, *stdenv);
}

TEST_CASE("sysroot, loader and library of a stdenv in a separate root are passed on to Clang") {
  const auto stdenv = lab_compiler("g++-16");
  if (!stdenv)
    return;
  for (const char* const name : {"clang++-13", "clang++-15", "clang++-16", "clang++-22"})
    if (const auto host = lab_compiler(name))
      check_pair(*host, *stdenv);
}

TEST_CASE("headers of a newer glibc than the stdenv's are refused across families, with the reason") {
  const auto host = lab_compiler("clang++-19");
  const auto stdenv = lab_compiler("g++-10");
  if (!host || !stdenv)
    return;
  const auto facts = library_facts(DiskFiles(), HostProcesses(), *stdenv);
  REQUIRE(facts);
  const auto plan = plan_link(*host, *stdenv, *facts, DiskFiles(), HostProcesses());
  REQUIRE_FALSE(plan);
  CHECK(plan.error().message.find("newer than the libraries (2.31)") != std::string::npos);
}
