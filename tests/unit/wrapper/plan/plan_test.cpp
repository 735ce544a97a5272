// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/checksum.hpp"
#include "wrapper/plan/plan.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::plan;

namespace {

Plan sample() {
  Plan plan;
  plan.toolkit = "12.4.131";
  plan.nvcc = "/opt/cuda 12/bin/nvcc";
  plan.nvcc_reads_ccbin_variable = true;
  plan.home = "/home/u/.cache/hostpin/bindings/0123";
  plan.named = true;
  plan.newer_host = true;
  plan.family = "gcc";
  plan.host = {"/usr/bin/ccache", "g++-13"};
  plan.link = {"/usr/bin/g++-15", "-m64", ""};
  plan.link_last = {"-lmpi", "-Wl,-rpath,/opt/mpi/lib"};
  plan.host_link_last = {"-lmpi_cxx"};
  plan.host_label = "GCC 13.3.0 (/usr/bin/g++-13)";
  plan.link_label = "GCC 15.1.0 (/usr/bin/g++-15)";
  plan.link_proof = CheckPolicy::warn;
  plan.lto_check = CheckPolicy::off;
  plan.loader = "/lib64/ld-linux-x86-64.so.2";
  plan.loader_cache = "/etc/ld.so.cache";
  plan.loader_library = "lib/x86_64-linux-gnu";
  plan.loader_platform = "x86_64";
  plan.loader_directories = {"/lib/x86_64-linux-gnu", "/lib"};
  plan.loader_capabilities = {"x86-64-v3", "x86-64-v2"};
  plan.driver_directories = {"/opt/cuda 12/compat", "/usr/lib/nvidia"};
  plan.run_path = {"/opt/cuda 12/lib64", "$ORIGIN/../lib"};
  plan.loader_root = "/srv/root";
  plan.loader_elsewhere = true;
  plan.library = "/opt/gcc-15/lib64/libstdc++.so.6";
  plan.policy = "manylinux_2_28_x86_64";
  plan.policy_versions = "GLIBC_2.28 GLIBCXX_3.4.24";
  plan.policy_libraries = "libc.so.6 libstdc++.so.6";
  plan.hostpin = "/opt/hostpin/bin/hostpin";
  plan.slices = "/var/cache/slices";
  plan.gpus = {"-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_80,code=compute_80"};
  plan.gpu_variants = {"90a 90a"};
  plan.runtimes = {
      {"coverage", PlanRuntime::Rule::refuse, "the data of GCC 13 is not read by GCC 15's runtime"},
      {"openmp", PlanRuntime::Rule::cross, ""}};
  plan.files = {{PlanFile::Kind::file, 123456, 1700000000123456789, "/usr/bin/g++-13"},
                {PlanFile::Kind::directory, 0, -5, "/usr/bin with space=and equals"},
                {PlanFile::Kind::absent, 0, 0, "/etc/hostpin/config.toml"}};
  plan.files[0].content = "0123456789abcdef";
  plan.files[0].touched = -7;
  return plan;
}

Plan decided_plan() {
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

/// A plan with a valid checksum and these fields, each of which ends with a line feed instead of NUL.
std::string plan_of(std::string_view lines) {
  std::string fields(lines);
  std::replace(fields.begin(), fields.end(), '\n', '\0');
  const auto digits = hexadecimal(checksum(fields));
  std::string bytes = write_plan(sample()).substr(0, 15);
  return bytes.append(digits.data(), digits.size()).append(1, '\0').append(fields);
}

std::string digest_with(const std::function<void(Plan&)>& change) {
  Plan plan = decided_plan();
  change(plan);
  return decision_digest(plan);
}

} // namespace

TEST_CASE("a plan reads back as it was written") {
  const std::string bytes = write_plan(sample());
  const auto plan = read_plan(bytes);
  REQUIRE(plan.has_value());
  CHECK(plan->nvcc == "/opt/cuda 12/bin/nvcc");
  CHECK(plan->nvcc_reads_ccbin_variable);
  CHECK(plan->named);
  CHECK(plan->newer_host);
  CHECK(plan->family == "gcc");
  CHECK_FALSE(plan->untouched);
  CHECK(plan->host == sample().host);
  CHECK(plan->link == sample().link);
  CHECK(plan->link_last == sample().link_last);
  CHECK(plan->host_link_last == sample().host_link_last);
  CHECK(plan->link_proof == CheckPolicy::warn);
  CHECK(plan->lto_check == CheckPolicy::off);
  CHECK(plan->loader == sample().loader);
  CHECK(plan->loader_cache == "/etc/ld.so.cache");
  CHECK(plan->loader_library == "lib/x86_64-linux-gnu");
  CHECK(plan->loader_platform == "x86_64");
  CHECK(plan->loader_directories == sample().loader_directories);
  CHECK(plan->loader_capabilities == sample().loader_capabilities);
  CHECK(plan->driver_directories == sample().driver_directories);
  CHECK(plan->run_path == sample().run_path);
  CHECK(plan->loader_root == "/srv/root");
  CHECK(plan->loader_elsewhere);
  CHECK(plan->library == sample().library);
  CHECK(plan->slices == "/var/cache/slices");
  CHECK(plan->gpus == sample().gpus);
  CHECK(plan->gpu_variants == sample().gpu_variants);
  REQUIRE(plan->runtimes.size() == 2);
  CHECK(plan->runtimes[0].rule == PlanRuntime::Rule::refuse);
  CHECK(plan->runtimes[0].reason == "the data of GCC 13 is not read by GCC 15's runtime");
  CHECK(plan->runtimes[1].reason.empty());
  REQUIRE(plan->files.size() == 3);
  CHECK(plan->files[0].size == 123456);
  CHECK(plan->files[0].modified == 1700000000123456789);
  CHECK(plan->files[0].content == "0123456789abcdef");
  CHECK(plan->files[0].touched == -7);
  CHECK(plan->files[1].content.empty());
  CHECK_FALSE(plan->files[1].touched);
  CHECK(plan->files[1].modified == -5);
  CHECK(plan->files[1].path == "/usr/bin with space=and equals");
  CHECK(plan->files[2].kind == PlanFile::Kind::absent);
  CHECK(write_plan(*plan) == bytes);
}

TEST_CASE("every path of a plan is a C string inside its bytes") {
  const std::string bytes = write_plan(sample());
  const auto plan = read_plan(bytes);
  REQUIRE(plan.has_value());
  for (const PlanFile& file : plan->files)
    CHECK(file.path.data()[file.path.size()] == '\0');
  for (const auto* const words : {&plan->link, &plan->driver_directories})
    for (const std::string_view word : *words)
      CHECK(word.data()[word.size()] == '\0');
}

TEST_CASE("no truncation and no changed byte is accepted") {
  const std::string bytes = write_plan(sample());
  for (std::size_t length = 0; length < bytes.size(); ++length)
    CHECK_FALSE(read_plan(std::string_view(bytes).substr(0, length)).has_value());
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const unsigned flip : {1U, 0x80U, 0xFFU}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ flip);
      CAPTURE(at);
      CHECK_FALSE(read_plan(changed).has_value());
    }
  CHECK_FALSE(read_plan(bytes + '\0').has_value());
}

TEST_CASE(
    "a plan with a valid checksum and an unknown field is refused, for it was made by another release") {
  for (const std::string_view fields :
       {"nvcc=/n\nhost=/h\nlink=/l\nfrobnicate=1\n", "frobnicate=1\nnvcc=/n\nhost=/h\nlink=/l\n",
        "nvcc=/n\nhost=/h\nho=/h\nlink=/l\n", "nvcc=/n\nhost=/h\nlink=/l\nlink-=/l\n",
        "nvcc=/n\nhost=/h\nlink=/l\n=\n", "nvcc=/n\nhost=/h\nlink=/l\nview\n"}) {
    CAPTURE(fields);
    CHECK_FALSE(read_plan(plan_of(fields)).has_value());
  }
}

TEST_CASE("a plan with a valid checksum and a value that its field does not have is refused, in any order") {
  for (const std::string_view fields :
       {"nvcc=/n\nview=2\nhost=/h\nlink=/l\n", "view=2\nnvcc=/n\nhost=/h\nlink=/l\n",
        "nvcc=/n\nlink-proof=maybe\nhost=/h\nlink=/l\n",
        "nvcc=/n\nhost=/h\nlink=/l\nruntime=lto frobnicate \n",
        "nvcc=/n\nhost=/h\nlink=/l\ncontent=0123456789abcdef\n"}) {
    CAPTURE(fields);
    CHECK_FALSE(read_plan(plan_of(fields)).has_value());
  }
}

TEST_CASE("fields in another order are read: lists are appended to, and the last of other values counts") {
  const std::string bytes =
      plan_of("link=/l\nfile=1 2 /f\nnvcc=/n\nhost=/h\nnvcc=/m\nview=1\nlink-last=-a\nhost=-x\n"
              "content=0123456789abcdef\nlink=-y\nview=0\nnvcc=/o\n");
  const auto plan = read_plan(bytes);
  REQUIRE(plan.has_value());
  CHECK(plan->nvcc == "/o");
  CHECK_FALSE(plan->view);
  CHECK(plan->host == std::vector<std::string_view>{"/h", "-x"});
  CHECK(plan->link == std::vector<std::string_view>{"/l", "-y"});
  CHECK(plan->link_last == std::vector<std::string_view>{"-a"});
  REQUIRE(plan->files.size() == 1);
  CHECK(plan->files[0].content == "0123456789abcdef");
}

TEST_CASE("a plan that names no compilers is no plan, unless it leaves nvcc untouched") {
  Plan plan;
  plan.nvcc = "/n";
  CHECK_FALSE(read_plan(write_plan(plan)).has_value());
  plan.untouched = true;
  CHECK(read_plan(write_plan(plan)).has_value());
}

TEST_CASE("the checksum sees order, length and position") {
  CHECK(checksum("ab") != checksum("ba"));
  CHECK(checksum("") != checksum(std::string_view("\0", 1)));
  CHECK(checksum("12345678abcdefgh") != checksum("abcdefgh12345678"));
  CHECK(checksum("same", 1) != checksum("same", 2));
}

TEST_CASE("a digest is 32 hexadecimal digits") {
  CHECK(decision_digest(decided_plan()).size() == 32);
  CHECK(decision_digest(decided_plan()).find_first_not_of("0123456789abcdef") == std::string::npos);
}

TEST_CASE("a digest follows what decides an object") {
  const std::string digest = decision_digest(decided_plan());
  CHECK(digest_with([](Plan& plan) { plan.nvcc = "/usr/local/cuda-12/bin/nvcc"; }) != digest);
  CHECK(digest_with([](Plan& plan) { plan.host = {"/usr/bin/g++-12"}; }) != digest);
  CHECK(digest_with([](Plan& plan) { plan.host.push_back("-fPIE"); }) != digest);
  CHECK(digest_with([](Plan& plan) { plan.files[0].size = 101; }) != digest);
  CHECK(digest_with([](Plan& plan) { plan.files[0].modified += 1; }) != digest);
  CHECK(digest_with([](Plan& plan) {
          plan.runtimes.push_back({"lto", PlanRuntime::Rule::drop, ""});
        }) != digest);
  CHECK(digest_with([](Plan& plan) { plan.gpus = {"-gencode=arch=compute_80,code=sm_80"}; }) != digest);
  CHECK(digest_with([](Plan& plan) { plan.gpu_variants = {"90a 90a"}; }) != digest);
}

TEST_CASE("a digest is the same wherever the same toolchain is") {
  const std::string digest = decision_digest(decided_plan());
  CHECK(digest_with([](Plan& plan) { plan.home = {}; }) == digest);
  CHECK(digest_with([](Plan& plan) { plan.hostpin = "/usr/bin/hostpin"; }) == digest);
  CHECK(digest_with([](Plan& plan) { plan.identity = {}; }) == digest);
  CHECK(digest_with([](Plan& plan) { plan.slices = "/var/cache/slices"; }) == digest);
  CHECK(digest_with([](Plan& plan) { plan.driver_directories = {"/usr/lib/nvidia"}; }) == digest);
  CHECK(digest_with([](Plan& plan) { plan.run_path = {"$ORIGIN"}; }) == digest);
  CHECK(digest_with([](Plan& plan) { plan.files[0].touched = 1; }) == digest);
  CHECK(digest_with([](Plan& plan) { plan.loader_platform = "znver4"; }) == digest);
  CHECK(digest_with([](Plan& plan) { plan.loader_capabilities.clear(); }) == digest);
  CHECK(digest_with([](Plan& plan) { plan.loader_root = "/other/root"; }) == digest);
}
