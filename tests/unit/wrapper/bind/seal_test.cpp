// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/seal.hpp"
#include "wrapper/plan/plan.hpp"

#include <set>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

std::string plan_with(std::string_view host, std::string_view home) {
  Plan plan;
  plan.nvcc = "/usr/local/cuda/bin/nvcc";
  plan.host = {host};
  plan.link = {"/usr/bin/g++-15"};
  plan.home = home;
  return write_plan(plan);
}

const std::string executable("\177ELF and so on");

} // namespace

TEST_CASE("a sealed executable begins with its own bytes and says what it is bound to") {
  const Sealed seal = sealed(executable, plan_with("g++-13", ""));
  CHECK(seal.content.starts_with(executable + "\nhostpin: bound "));
}

TEST_CASE("the same decision is the same executable, wherever it is") {
  const Sealed one = sealed(executable, plan_with("g++-13", ""));
  const Sealed other = sealed(executable, plan_with("g++-13", "/home/u/.cache/hostpin/bindings/1"));
  CHECK(one.content == other.content);
  CHECK(one.modified == other.modified);
}

TEST_CASE("bytes, size and time each tell decisions apart") {
  std::set<std::string> contents;
  std::set<std::size_t> sizes;
  std::set<std::int64_t> times;
  std::set<std::int64_t> seconds;
  constexpr int count = 50;
  for (int i = 0; i < count; ++i) {
    const Sealed seal = sealed(executable, plan_with("g++-" + std::to_string(i), ""));
    contents.insert(seal.content);
    sizes.insert(seal.content.size());
    times.insert(seal.modified);
    seconds.insert(seal.modified / 1'000'000'000);
    CHECK(seal.modified > 946'684'799'000'000'000); // since 2000
    CHECK(seal.modified < 1'500'000'000'000'000'000);
  }
  CHECK(contents.size() == count);
  CHECK(sizes.size() == count);
  CHECK(times.size() == count);
  CHECK(seconds.size() == count); // on a file system with this precision
}

TEST_CASE("another release of the executable is another compiler") {
  const std::string plan = plan_with("g++-13", "");
  const Sealed one = sealed(executable, plan);
  const Sealed other = sealed("\177ELF and so oN", plan);
  CHECK(one.modified != other.modified);
  CHECK(one.content.size() != other.content.size());
}
