// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/nvcc/nvcc_environment.hpp"

#include <doctest/doctest.h>

using namespace hostpin::nvcc;

namespace {

std::vector<std::string> changed(const std::vector<const char*>& environment,
                                 const std::vector<VariableChange>& changes) {
  std::vector<std::string> owned;
  const auto result = changed_environment(environment.data(), changes, owned);
  REQUIRE(result.back() == nullptr);
  return {result.begin(), result.end() - 1};
}

} // namespace

TEST_CASE("the variables of nvcc are found among others of like names") {
  const std::vector<const char*> environment = {"NVCC_PREPEND_FLAGS_X=1",  "NVCC_PREPEND_FLAGS=-v",
                                                "NVCC_APPEND_FLAGS=",      "NV",
                                                "NVCC_CCBIN=/usr/bin/g++", nullptr};
  const NvccEnvironment read = read_nvcc_environment(environment.data());
  CHECK(read.prepend_flags == "-v");
  CHECK(read.append_flags == "");
  CHECK(read.ccbin == "/usr/bin/g++");
  CHECK(!read.inside_nvcc);
}

TEST_CASE("only both marks of an outer nvcc say that we are inside one") {
  const std::vector<const char*> both = {"_HERE_=/cuda/bin", "A=1", "_THERE_=/cuda/bin", nullptr};
  const std::vector<const char*> one = {"_HERE_=/cuda/bin", "INCLUDES=-I/x", "_=/bin/env", nullptr};
  const std::vector<const char*> none = {nullptr};
  CHECK(read_nvcc_environment(both.data()).inside_nvcc);
  CHECK(!read_nvcc_environment(one.data()).inside_nvcc);
  CHECK(!read_nvcc_environment(none.data()).inside_nvcc);
}

TEST_CASE("what an nvcc put in front of the lists of directories is taken back") {
  using Lines = std::vector<std::string>;
  const auto around = [](const std::vector<const char*>& environment) {
    return changed(environment, around_nvcc(environment.data()));
  };
  CHECK(around({"_HERE_=/c/bin", "PATH=/c/bin/../nvvm/bin:/c/bin:/usr/bin:/bin",
                "LD_LIBRARY_PATH=/c/bin/../lib64:/x", nullptr}) ==
        Lines{"_HERE_=/c/bin", "PATH=/usr/bin:/bin", "LD_LIBRARY_PATH=/x"});
  CHECK(around({"_HERE_=/c/bin", "PATH=/c/bin/../nvvm/bin:/c/bin:/c/bin", "LD_LIBRARY_PATH=/c/bin/../lib:",
                nullptr}) == Lines{"_HERE_=/c/bin", "PATH=/c/bin"}); // the user's own value stays
  const std::vector<const char*> untouched[] = {
      {"PATH=/c/bin:/usr/bin", nullptr},
      {"_HERE_=/c/bin", "PATH=/c/bin2:/usr/bin", "X=/c/bin", nullptr},
      {"_HERE_=/c/bin", "PATH=", nullptr}};
  for (const auto& environment : untouched)
    CHECK(around_nvcc(environment.data()).empty());
}

TEST_CASE("an environment without changes keeps its very pointers") {
  const std::vector<const char*> environment = {"A=1", "B=2", "A=3", nullptr};
  std::vector<std::string> owned;
  CHECK(changed_environment(environment.data(), {}, owned) == environment);
}

TEST_CASE("a variable is removed in every copy, or replaced once, and the others keep their order") {
  using Lines = std::vector<std::string>;
  const std::vector<const char*> environment = {"A=1", "BB=2", "A=3", "C", "B=4", nullptr};
  CHECK(changed(environment, {{"A", std::nullopt}}) == Lines{"BB=2", "C", "B=4"});
  CHECK(changed(environment, {{"A", "x=y"}, {"B", std::nullopt}}) == Lines{"BB=2", "C", "A=x=y"});
  CHECK(changed(environment, {{"D", ""}}) == Lines{"A=1", "BB=2", "A=3", "C", "B=4", "D="});
}
