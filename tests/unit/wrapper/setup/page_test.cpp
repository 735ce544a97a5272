// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/wrapper/setup/plans.hpp"
#include "wrapper/setup/page.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::setup;

namespace {

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("the page of a plan names versions, sizes, servers and licenses") {
  const std::string page =
      plan_page(sample_plan(), {{"NVIDIA CUDA EULA", "CUDA 12.4.131", "https://e"}}, "/d", endless);
  CHECK(has(page, "stdenv  GCC 12.2.0 (/usr/bin/g++)"));
  CHECK(has(page,
            "CUDA 12.4.131  87 MB in 1 file  Debian 13 (trixie), http://deb.debian.org  NVIDIA CUDA EULA"));
  CHECK(has(page, "GCC 13.3.0"));
  CHECK(has(page, "10 MB in 1 file"));
  CHECK(has(page, "C library headers of glibc 2.36  2.0 MB in 1 file"));
  CHECK(has(page, "in all  99 MB to fetch"));
  CHECK(has(page, "https://e"));
  CHECK(has(page, "a note"));
}

TEST_CASE("a plan that lacks nothing says so") {
  Plan plan;
  plan.stdenv = "GCC";
  plan.toolkit = Found{"CUDA 13.0.88", "/usr/local/cuda", "/usr/local/cuda"};
  const std::string page = plan_page(plan, {}, "/d", endless);
  CHECK(has(page, "nothing is missing: nothing is fetched"));
  CHECK(has(page, "CUDA 13.0.88  /usr/local/cuda"));
}

TEST_CASE("of many packages the largest are listed") {
  Plan plan = sample_plan();
  for (int i = 0; i < 20; ++i)
    plan.pieces[1].packages.push_back({"small" + std::to_string(i), "1", "all", "f", "http://m/f", "", 1});
  const std::string page = plan_page(plan, {}, "/d", endless);
  CHECK(has(page, "and 13 more"));
  CHECK(has(page, "g++-13"));
  CHECK_FALSE(has(page, "small19"));
}

TEST_CASE("the last lines can be pasted, whatever the directory is called") {
  const std::string lines = next_lines("/a b", "", "hostpin", endless);
  CHECK(has(lines, "cmake -B build '-DCMAKE_TOOLCHAIN_FILE=/a b/toolchain/toolchain.cmake'"));
  CHECK(has(lines, "make 'NVCC=/a b/toolchain/nvcc'"));
  CHECK(has(lines, "eval \"$(hostpin env --bound '/a b/toolchain')\" && pip install ."));
}

TEST_CASE("of a stdenv that was fetched the page says what programs link and load") {
  Plan plan = sample_plan();
  plan.pieces.push_back(plan.pieces[1]);
  plan.pieces.back().kind = Piece::Kind::stdenv;
  plan.pieces.back().place = "stdenv";
  CHECK(has(plan_page(plan, {}, "/d", endless), "stdenv  none\n"));
  FetchedStdenv stdenv{"/d/stdenv", "GCC 12.2.0", "/usr/lib/libstdc++.so.6.0.30", {}};
  CHECK(has(stdenv_page(stdenv, endless), "links      GCC 12.2.0 with its libstdc++  /d/stdenv\n"));
  CHECK(has(stdenv_page(stdenv, endless),
            "runs with  this machine's C library       /usr/lib/libstdc++.so.6.0.30"));
  CHECK_FALSE(has(stdenv_page(stdenv, endless), "run path"));
  stdenv.lacking = {"libasan.so.8", "libgomp.so.1"};
  CHECK(has(stdenv_page(stdenv, endless), "/d/stdenv/runtime"));
  CHECK(has(stdenv_page(stdenv, endless), "libasan.so.8, libgomp.so.1: this machine lacks them"));
  CHECK(has(next_lines("/a b", "/a b/stdenv", "hostpin", endless),
            "export PATH='/a b/stdenv/bin':\"$PATH\"\n"));
}

TEST_CASE("a directory that is set up lists its pieces") {
  const KnownSetup known{"/d", "/d/cuda", {}, {}, {}, {"CUDA 12.4.131"}, {"cuda"}};
  CHECK(has(known_page(known, endless), "CUDA 12.4.131  /d/cuda"));
}
