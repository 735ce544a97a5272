// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/plan/digest.hpp"

#include <functional>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

Plan sample() {
  Plan plan;
  plan.toolkit = "13.0.88";
  plan.nvcc = "/usr/local/cuda/bin/nvcc";
  plan.host = {"/usr/bin/g++-13"};
  plan.link = {"/usr/bin/g++-15"};
  plan.home = "/home/a/bindings/1";
  plan.hostpin = "/opt/a/bin/hostpin";
  plan.identity = "0123456789abcdef";
  plan.loader_platform = "haswell";
  plan.loader_capabilities = {"x86-64-v3"};
  plan.files = {{PlanFile::Kind::file, 100, 1700000000000000000, "/usr/bin/g++-13"}};
  return plan;
}

std::string digest_with(const std::function<void(Plan&)>& change) {
  Plan plan = sample();
  change(plan);
  return decision_digest(plan);
}

} // namespace

TEST_CASE("a digest is 32 hexadecimal digits") {
  CHECK(decision_digest(sample()).size() == 32);
  CHECK(decision_digest(sample()).find_first_not_of("0123456789abcdef") == std::string::npos);
}

TEST_CASE("a digest follows what decides an object") {
  const std::string digest = decision_digest(sample());
  CHECK(digest_with([](Plan& plan) { plan.nvcc = "/usr/local/cuda-12/bin/nvcc"; }) != digest);
  CHECK(digest_with([](Plan& plan) { plan.host = {"/usr/bin/g++-12"}; }) != digest);
  CHECK(digest_with([](Plan& plan) { plan.host.push_back("-fPIE"); }) != digest);
  CHECK(digest_with([](Plan& plan) { plan.files[0].size = 101; }) != digest);
  CHECK(digest_with([](Plan& plan) { plan.files[0].modified += 1; }) != digest);
  CHECK(digest_with([](Plan& plan) {
          plan.runtimes.push_back({"lto", PlanRuntime::Rule::drop, ""});
        }) != digest);
}

TEST_CASE("a digest is the same wherever the same toolchain is") {
  const std::string digest = decision_digest(sample());
  CHECK(digest_with([](Plan& plan) { plan.home = {}; }) == digest);
  CHECK(digest_with([](Plan& plan) { plan.hostpin = "/usr/bin/hostpin"; }) == digest);
  CHECK(digest_with([](Plan& plan) { plan.identity = {}; }) == digest);
  CHECK(digest_with([](Plan& plan) { plan.files[0].touched = 1; }) == digest);
  CHECK(digest_with([](Plan& plan) { plan.loader_platform = "znver4"; }) == digest);
  CHECK(digest_with([](Plan& plan) { plan.loader_capabilities.clear(); }) == digest);
}
