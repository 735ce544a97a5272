// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/caller.hpp"

#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::hot;

TEST_CASE("a plan that is handed down reaches what the same process runs, and nobody else") {
  const std::string_view host[] = {"/usr/bin/g++-13"};
  plan::Plan plan;
  plan.nvcc = "/cuda/bin/nvcc";
  plan.host = plan.link = {host[0]};
  const plan::PlanFile file{plan::PlanFile::Kind::file, 1, 2, "/usr/bin/g++-13"};
  plan.files = {file};
  const auto given = handed_down(plan);
  REQUIRE(given);
  const std::string line = given->name + '=' + *given->value;
  const char* const environment[] = {line.c_str(), nullptr};

  const auto bytes = handed_plan({"", getpid()}, environment);
  REQUIRE(bytes);
  const auto read = plan::read_plan(*bytes);
  REQUIRE(read);
  CHECK(read->nvcc == plan.nvcc);
  CHECK(read->host == plan.host);
  CHECK(read->files.empty());
  CHECK(!handed_plan({"", getppid()}, environment));
  CHECK(!handed_plan({"", 0}, environment));
  const char* const none[] = {nullptr};
  CHECK(!handed_plan({"", getpid()}, none));
}

TEST_CASE("no nvcc runs a call that only finds an nvcc's variables") {
  const char* const arguments[] = {"-c", "x.cpp"};
  const char* const left[] = {"_HERE_=/cuda/bin", "_THERE_=/cuda/bin", nullptr};
  CHECK(!calling_nvcc(arguments, left));
}
