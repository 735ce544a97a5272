// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gpus/native.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("each line of the driver's answer is a GPU") {
  const auto two = read_native_capabilities("9.0\n12.0\n");
  REQUIRE(two);
  CHECK(*two == std::vector<Capability>{{9, 0, {}}, {12, 0, {}}});
}

TEST_CASE("an answer without a GPU is none") {
  CHECK_FALSE(read_native_capabilities(""));
  CHECK_FALSE(read_native_capabilities("\n"));
  const auto odd = read_native_capabilities("[N/A]\n");
  REQUIRE_FALSE(odd);
  CHECK(odd.error().message.find("[N/A]") != std::string::npos);
}

TEST_CASE("a machine without nvidia-smi says so") {
  class None final : public Processes {
    std::vector<Outcome> run(std::span<const Command> commands) const override {
      return std::vector<Outcome>(commands.size(), Outcome{Outcome::End::not_started, 2, {}, {}, false});
    }
  };
  const auto answer = native_capabilities(None());
  REQUIRE_FALSE(answer);
  CHECK(answer.error().message.find("no NVIDIA driver") == 0);
}
