// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "toolchains/toolkit/composed.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::FakeFiles;

namespace {

Result<std::optional<ComposedToolkit>> read(const std::string& text) {
  FakeFiles files;
  files.file("/cuda/origin.json", text);
  return composed_toolkit("/cuda", files);
}

constexpr const char* archives = R"("archives": [{"product": "cuda", "label": "12.4.1"},
  {"product": "cudnn", "label": "9.1.0"}, {"product": "cuda", "label": "12.4.1"}])";

} // namespace

TEST_CASE("a composed toolkit is described, and has the search path of the driver") {
  const auto composed =
      read(std::string(R"({"schema": 1, "lock": "a.lock", "targets": ["linux-sbsa", "linux-x86_64"],
    "compat": true, "driver": "/run/driver", )") +
           archives + R"(, "entries": [{"path": "driver"}]})");
  REQUIRE(composed);
  REQUIRE(*composed);
  CHECK((*composed)->description ==
        "composed from cuda 12.4.1, cudnn 9.1.0 (linux-sbsa, linux-x86_64) of a.lock");
  CHECK((*composed)->driver_path == std::vector<std::string>{"/cuda/compat", "/run/driver"});
}

TEST_CASE("another toolkit is not composed") {
  const auto composed = composed_toolkit("/cuda", FakeFiles());
  REQUIRE(composed);
  CHECK_FALSE(*composed);
}

TEST_CASE("an origin that cannot be used is an error that names it") {
  for (const char* const text :
       {"", "{", "[]", "{}", R"({"schema": 2, "lock": "a", "targets": [], "archives": []})",
        R"({"schema": 1, "targets": [], "archives": []})",
        R"({"schema": 1, "lock": 7, "targets": [], "archives": []})",
        R"({"schema": 1, "lock": "a", "targets": [], "archives": [1]})",
        R"({"schema": 1, "lock": "a", "targets": [], "archives": [], "compat": "yes"})",
        R"({"schema": 1, "lock": "a", "targets": [], "archives": [], "driver": 1})"}) {
    CAPTURE(text);
    const auto composed = read(text);
    REQUIRE_FALSE(composed);
    CHECK(composed.error().message.starts_with("/cuda/origin.json "));
    CHECK_FALSE(composed.error().hint.empty());
  }
}
