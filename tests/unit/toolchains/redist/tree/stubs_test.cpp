// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/redist/tree/rules_case.hpp"
#include "toolchains/binary/stub_library.hpp"
#include "toolchains/redist/tree/stubs.hpp"

#include <algorithm>
#include <elf.h>

using namespace hostpin;
using namespace hostpin::redist;
using namespace hostpin::redist::test;

namespace {

using Names = std::set<std::string>;
const std::string stubs = "targets/x86_64-linux/lib/stubs/";

Names made_for(const std::map<std::string, std::string>& files, const Composition& composition = native()) {
  Trees trees;
  trees.add(archive("cuda_compat"), files);
  RootPlan plan = trees.plan(composition);
  const std::size_t before = plan.pieces.size();
  const auto made = make_stubs(plan, facts());
  REQUIRE_MESSAGE(made, made.error().message);
  CHECK(plan.pieces.size() == before + made->size());
  for (const std::string& name : *made) {
    CHECK(at(plan, stubs + name) == "text");
    const auto object = binary::read_shared_object(text_at(plan, stubs + name));
    REQUIRE_MESSAGE(object, object.error().message);
    CHECK(object->soname == name);
  }
  CHECK(std::ranges::is_sorted(plan.pieces, {}, [](const RootPiece& piece) { return piece.entry.path; }));
  return *made;
}

std::string needing(const std::string& name) {
  return library("libx.so.1", {{name, {}}});
}

} // namespace

TEST_CASE("stubs are made of libraries of the driver and of Jetsons that are not there") {
  CHECK(made_for({{"lib/libx.so.1", library("libx.so.1", {{"libnvrm_gpu.so", {}}, {"libcuda.so.1", {}}})}}) ==
        Names{"libcuda.so.1", "libnvrm_gpu.so"});
  CHECK(made_for({{"lib/libx.so.1",
                   library("libx.so.1", {{"libz.so.1", {}}, {"libc.so.6", {}}, {"libcublas.so.12", {}}})}})
            .empty());
}

TEST_CASE("libraries and stubs that are there are not made") {
  CHECK(made_for(
            {{"lib/libx.so.1", needing("libnvrm_gpu.so")}, {"lib/libnvrm_gpu.so", library("libnvrm_gpu.so")}})
            .empty());
  CHECK(made_for(
            {{"lib/libx.so.1", needing("libcuda.so.1")}, {"lib/stubs/libcuda.so", library("libcuda.so.1")}})
            .empty());
}

TEST_CASE("what programs, stubs and omitted compatibility libraries need is not made") {
  CHECK(made_for({{"bin/x", needing("libnvrm_gpu.so")},
                  {"lib/stubs/liby.so", needing("libnvrm_gpu.so")},
                  {"compat/libcuda.so.1", needing("libnvrm_gpu.so")}})
            .empty());
  Composition compat = native();
  compat.compat = true;
  CHECK(made_for({{"compat/libcuda.so.1", needing("libnvrm_gpu.so")}}, compat) == Names{"libnvrm_gpu.so"});
}

TEST_CASE("names that would lead out of the directory of stubs are not made") {
  CHECK(made_for({{"lib/libx.so.1", needing("libnvidia-/../../../../x.so")}}).empty());
  CHECK(made_for({{"lib/liby.so.1", needing("libnvidia-x\n.so")}}).empty());
}
