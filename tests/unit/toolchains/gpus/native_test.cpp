// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gpus/native.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::gpus;

TEST_CASE("each line of nvidia-smi's output is a GPU") {
  const auto two = read_native_capabilities("9.0\n12.0\n");
  REQUIRE(two);
  CHECK(*two == std::vector<Capability>{{9, 0, {}}, {12, 0, {}}});
}

TEST_CASE("an output without a GPU is an error") {
  CHECK_FALSE(read_native_capabilities(""));
  CHECK_FALSE(read_native_capabilities("\n"));
  const auto odd = read_native_capabilities("[N/A]\n");
  REQUIRE_FALSE(odd);
  CHECK(odd.error().message.find("[N/A]") != std::string::npos);
}

TEST_CASE("on a machine without nvidia-smi the error says so") {
  class None final : public Processes {
    std::vector<Outcome> run(std::span<const Command> commands) const override {
      return std::vector<Outcome>(commands.size(), Outcome{Outcome::End::not_started, 2, {}, {}, false});
    }
  };
  const auto answer = native_capabilities(None(), {"driver"});
  REQUIRE_FALSE(answer);
  CHECK(answer.error().message.find("no NVIDIA driver") == 0);
}

TEST_CASE("if nvidia-smi fails, the driver's library is used") {
  struct Row {
    Outcome smi, library;
    const char* answer;
  };
  const auto ended = [](int code, const char* output, const char* errors) {
    return Outcome{Outcome::End::exited, code, output, errors, false};
  };
  const Outcome absent{Outcome::End::not_started, 2, {}, {}, false};
  class Two final : public Processes {
  public:
    explicit Two(const Row& row) : row_(row) {}

  private:
    std::vector<Outcome> run(std::span<const Command> commands) const override {
      REQUIRE(commands.size() == 1);
      return {commands[0].argv[0] == "nvidia-smi" ? row_.smi : row_.library};
    }
    const Row& row_;
  };
  for (const Row& row :
       {Row{ended(0, "9.0\n", ""), ended(0, "8.0\n", ""), "9.0"},
        Row{absent, ended(0, "8.0\n8.0\n", ""), "8.0"},
        Row{ended(2, "Field \"compute_cap\" is not valid\n", ""), ended(0, "7.0\n", ""), "7.0"},
        Row{ended(0, "[N/A]\n", ""), ended(0, "7.0\n", ""), "7.0"},
        Row{absent, ended(0, "", ""), "libcuda.so.1 reports no GPU on this machine"},
        Row{absent, ended(1, "", "hostpin: error: libcuda.so.1: no such file\n"), "no NVIDIA driver"},
        Row{ended(9, "", "it failed\n"), ended(1, "", "no such file\n"),
            "nvidia-smi exited with 9: it failed"}}) {
    const auto answer = native_capabilities(Two(row), {"driver"});
    const std::string text = answer ? to_string(answer->front()) : answer.error().message;
    CHECK_MESSAGE(text.starts_with(row.answer), text);
  }
}
