// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/shipped_data.hpp"
#include "tests/unit/toolchains/table/files_map.hpp"
#include "toolchains/gpus/gpus.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::gpus;

namespace {

std::string refusal(const std::string& rows) {
  const FilesMap files({{"/d/gpus.toml", rows}});
  const auto gpus = load_gpus(files, "/d");
  return gpus ? std::string("read") : gpus.error().message;
}

std::string row(const std::string& capability, const std::string& more = {}) {
  return "[[gpu]]\ncapability = \"" + capability +
         "\"\narchitecture = \"A\"\nfirst = \"11.0\"\nsource = \"s\"\n" + more;
}

} // namespace

TEST_CASE("the shipped data can be read, and every row is supported by some release") {
  const auto gpus = load_gpus(DiskFiles(), hostpin::test::shipped_data());
  REQUIRE_MESSAGE(gpus, gpus.error().message);
  CHECK(gpus->size() > 20);
  for (const Gpu& gpu : *gpus) {
    CAPTURE(to_string(gpu.capability));
    CHECK(gpu.is_supported_by(gpu.first, Capability::Variant::baseline));
    CHECK_FALSE(gpu.source.empty());
  }
}

TEST_CASE("a release is before, within or after a row, whatever its patch") {
  const auto gpus = load_gpus(DiskFiles(), hostpin::test::shipped_data());
  REQUIRE(gpus);
  using Variant = Capability::Variant;
  const Gpu* const hopper = find_gpu(*gpus, *capability_named("9.0a"));
  REQUIRE(hopper);
  CHECK_FALSE(hopper->is_supported_by({11, 7, 99}, Variant::baseline));
  CHECK(hopper->is_supported_by({11, 8, 0}, Variant::baseline));
  CHECK_FALSE(hopper->is_supported_by({11, 8, 89}, Variant::architecture_specific));
  CHECK(hopper->is_supported_by({12, 0, 0}, Variant::architecture_specific));
  CHECK_FALSE(hopper->is_supported_by({13, 0, 0}, Variant::family_specific));
  const Gpu* const volta = find_gpu(*gpus, *capability_named("7.0"));
  REQUIRE(volta);
  CHECK(volta->is_supported_by({12, 9, 99}, Variant::baseline));
  CHECK_FALSE(volta->is_supported_by({13, 0, 0}, Variant::baseline));
  CHECK_FALSE(find_gpu(*gpus, *capability_named("8.1")));
}

TEST_CASE("what is wrong with a row is reported at its position") {
  CHECK(refusal(row("8.0")) == "read");
  CHECK(refusal(row("8.0") + row("8.0")).find("rows ascend without duplicates") != std::string::npos);
  CHECK(refusal(row("8.6") + row("8.0")).find("/d/gpus.toml:7:") != std::string::npos);
  CHECK(refusal(row("8.0a")).find("is not a compute capability such as \"8.6\"") != std::string::npos);
  CHECK(refusal(row("8.0", "last = \"10.2\"\n")).find("`last` is before `first`") != std::string::npos);
  CHECK(refusal(row("8.0", "last = \"12\"\n")).find("is not a CUDA release") != std::string::npos);
  CHECK(refusal(row("8.0", "successor = \"9.0\"\n")).find("`successor`") != std::string::npos);
  CHECK(refusal(row("8.0", "last = \"12.0\"\nsuccessor = \"9.0\"\n")).find("has no row") !=
        std::string::npos);
  CHECK(refusal(row("8.0", "family = \"8.0\"\n")).find("`family` names this row") != std::string::npos);
  CHECK(refusal(row("8.0", "family-specific = \"12.9\"\nfamily = \"8.6\"\n")).find("`family` names") !=
        std::string::npos);
  CHECK(refusal(row("8.0", "colour = \"red\"\n")).find("colour") != std::string::npos);
  CHECK(refusal("[[gpu]]\ncapability = \"8.0\"\n").find("architecture") != std::string::npos);
}
