// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/gpus/shipped.hpp"
#include "toolchains/gpus/expansion.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::gpus;

namespace {

/// `8.0 8.6+ptx`, or what is wrong.
std::string expanded(std::string_view list, Version toolkit, bool forward_compatible = true) {
  const auto expansion = expand(list, {gpus(), toolkit, forward_compatible, {}});
  if (!expansion)
    return expansion.error().message;
  std::string text;
  for (const GpuTarget& target : expansion->targets) {
    text += text.empty() ? "" : " ";
    text += to_string(target.capability);
    text += target.ptx ? "+ptx" : "";
  }
  return text;
}

constexpr Version v11_2{11, 2, 152}, v11_8{11, 8, 89}, v12_4{12, 4, 131}, v13_0{13, 0, 48};

} // namespace

TEST_CASE("a list is sorted, and PTX of the newest serves later GPUs") {
  CHECK(expanded("8.6;8.0", v12_4) == "8.0 8.6+ptx");
  CHECK(expanded("8.6;8.0", v12_4, false) == "8.0 8.6");
  CHECK(expanded(" 8.0 ; 8.6 ", v12_4) == "8.0 8.6+ptx");
}

TEST_CASE("PTX that a list asks for is all that it gets") {
  CHECK(expanded("8.0+ptx;9.0", v12_4) == "8.0+ptx 9.0");
  CHECK(expanded("8.0;8.6;9.0a+PTX", v12_4) == "8.0 8.6 9.0a+ptx");
}

TEST_CASE(
    "PTX of variants serves nobody later, so that of the newest baseline is taken, or none with a note") {
  CHECK(expanded("8.0;9.0a", v12_4) == "8.0+ptx 9.0a");
  const auto alone = expand("9.0a", {gpus(), v12_4, true, {}});
  REQUIRE(alone);
  CHECK_FALSE(alone->targets[0].ptx);
  REQUIRE(alone->notes.size() == 1);
  CHECK(alone->notes[0].find("no PTX") == 0);
}

TEST_CASE("words stand for what a toolkit takes, without Jetsons and variants") {
  CHECK(expanded("all", v11_2) == "3.5 3.7 5.0 5.2 6.0 6.1 7.0 7.5 8.0 8.6+ptx");
  CHECK(expanded("all-major", v11_2) == "3.5 5.0 6.0 7.0 8.0+ptx");
  CHECK(expanded("default", v11_2) == "6.0 6.1 7.0 7.5 8.0 8.6+ptx");
  CHECK(expanded("all", v11_8) == "3.5 3.7 5.0 5.2 6.0 6.1 7.0 7.5 8.0 8.6 8.9 9.0+ptx");
  CHECK(expanded("all-major", v11_8) == "3.5 5.0 6.0 7.0 8.0 9.0+ptx");
  CHECK(expanded("default", v12_4) == "7.0 7.5 8.0 8.6 8.9 9.0+ptx");
  CHECK(expanded("all-major", v12_4) == "5.0 6.0 7.0 8.0 9.0+ptx");
  CHECK(expanded("all", v13_0) == "7.5 8.0 8.6 8.9 9.0 10.0 10.3 12.0 12.1+ptx");
  CHECK(expanded("all-major", v13_0) == "7.5 8.0 9.0 10.0 12.0+ptx");
  CHECK(expanded("default", v13_0) == expanded("all", v13_0));
}

TEST_CASE("a malformed item is answered with what may be meant") {
  struct Row {
    const char *list, *answer;
  };
  for (const Row& row :
       {Row{"", "the list of compute capabilities is empty"},
        Row{"  ", "the list of compute capabilities is empty"}, Row{";", "(nothing): an item is empty"},
        Row{"8.0;", "(nothing): an item is empty"}, Row{"8.0;8.0", "8.0: 8.0 comes twice"},
        Row{"8.0;8.0+ptx", "8.0+ptx: 8.0 comes twice"},
        Row{"9", "9: a capability has a major and a minor: write 9.0 if that is meant"},
        Row{"9.0.0", "9.0.0: a capability is a major and a minor"}, Row{"sm_90", "sm_90: write 9.0"},
        Row{"compute_90", "compute_90: write 9.0+ptx"}, Row{"90a", "90a: write 9.0a"},
        Row{"100f+ptx", "100f+ptx: write 10.0f+ptx"},
        Row{"\xD9\xA9.\xD9\xA0", "a capability is written in ASCII digits"},
        Row{"8.0,8.6", "8.0,8.6: items are separated by a semicolon"},
        Row{"native;8.0", "native: stands alone"}, Row{"hopper", "hopper: this is no compute capability"}}) {
    CAPTURE(row.list);
    CHECK_MESSAGE(expanded(row.list, v12_4).find(row.answer) != std::string::npos, expanded(row.list, v12_4));
  }
}

TEST_CASE("everything wrong with a list is told at once") {
  const std::string text = expanded("9;sm_80;7.0", v12_4);
  CHECK(text.find("9: ") != std::string::npos);
  CHECK(text.find("sm_80: write 8.0") != std::string::npos);
  CHECK(expanded("9;7.0", v13_0).find("7.0: CUDA 13.0 no longer") != std::string::npos);
}

TEST_CASE("what a toolkit does not take is refused with the releases that do") {
  CHECK(expanded("8.1", v12_4).find("8.1: no GPU has this compute capability") != std::string::npos);
  CHECK(expanded("9.0", v11_2).find("CUDA 11.2 does not know 9.0 (Hopper) yet: CUDA 11.8 is the first") !=
        std::string::npos);
  CHECK(expanded("9.0a", v11_8).find("CUDA 12.0 is the first") != std::string::npos);
  CHECK(expanded("7.0", v13_0).find("CUDA 13.0 no longer compiles for 7.0 (Volta): CUDA 12.9 is the last") !=
        std::string::npos);
  CHECK(expanded("10.1", v13_0).find("as 11.0") != std::string::npos);
  CHECK(expanded("8.6a", v13_0).find("8.6 (Ampere) has no variant") != std::string::npos);
}

TEST_CASE("a Jetson stands alone") {
  CHECK(expanded("8.7", v12_4) == "8.7+ptx");
  CHECK(expanded("7.2;8.7", v12_4) == "7.2 8.7+ptx");
  CHECK(expanded("8.6;8.7", v12_4).find("8.7: a Jetson") != std::string::npos);
}

TEST_CASE("native is what the machine answers, each once, or the reason why there is no answer") {
  const auto native = [] {
    return Result<std::vector<Capability>>(
        {Capability{9, 0, {}}, Capability{8, 0, {}}, Capability{9, 0, {}}});
  };
  const auto expansion = expand("native", {gpus(), v12_4, true, native});
  REQUIRE(expansion);
  CHECK(expansion->targets == std::vector<GpuTarget>{{{8, 0, {}}, true, false}, {{9, 0, {}}, true, true}});
  const auto none = [] { return Result<std::vector<Capability>>(failure("no driver")); };
  const auto refused = expand("native", {gpus(), v12_4, true, none});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "no driver");
}
