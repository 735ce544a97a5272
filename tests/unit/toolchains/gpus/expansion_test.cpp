// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/gpus/shipped.hpp"
#include "toolchains/gpus/expansion.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::gpus;
using hostpin::test::shipped_gpus;

namespace {

/// `8.0 8.6+ptx`, or what is wrong.
std::string expanded(std::string_view list, Version toolkit, bool forward_compatible = true) {
  const auto expansion = expand(list, {shipped_gpus(), toolkit, forward_compatible, {}});
  if (!expansion)
    return expansion.error().message;
  std::string text;
  for (const GpuTarget& target : expansion->targets) {
    text += text.empty() ? "" : " ";
    text += to_string(target.capability);
    text += !target.cubin ? "-virtual" : target.ptx ? "+ptx" : "";
  }
  return text;
}

constexpr Version v11_2{11, 2, 152}, v11_8{11, 8, 89}, v12_4{12, 4, 131}, v13_0{13, 0, 48};

} // namespace

TEST_CASE("a list is sorted, and has PTX of the newest for later GPUs") {
  CHECK(expanded("8.6;8.0", v12_4) == "8.0 8.6+ptx");
  CHECK(expanded("8.6;8.0", v12_4, false) == "8.0 8.6");
  CHECK(expanded(" 8.0 ; 8.6 ", v12_4) == "8.0 8.6+ptx");
}

TEST_CASE("PTX that a list asks for is all that it gets") {
  CHECK(expanded("8.0+ptx;9.0", v12_4) == "8.0+ptx 9.0");
  CHECK(expanded("7.5+ptx;8.0;9.0a+PTX", v12_4) == "7.5+ptx 8.0 9.0a+ptx");
}

TEST_CASE(
    "PTX of variants serves nobody later, so that of the newest baseline is taken, or none with a note") {
  CHECK(expanded("8.0;9.0a", v12_4) == "8.0+ptx 9.0a");
  const auto alone = expand("9.0a", {shipped_gpus(), v12_4, true, {}});
  REQUIRE(alone);
  CHECK_FALSE(alone->targets[0].ptx);
  REQUIRE(alone->notes.size() == 1);
  CHECK(alone->notes[0].find("no PTX") == 0);
}

TEST_CASE("a list may ask for PTX only") {
  CHECK(expanded("9.0-virtual", v12_4) == "9.0-virtual");
  CHECK(expanded("8.0;9.0-Virtual", v12_4) == "8.0 9.0-virtual");
  CHECK(expanded("8.0-virtual;9.0", v12_4) == "8.0-virtual 9.0");
  CHECK(expanded("8.0;9.0a-virtual", v12_4) == "8.0+ptx 9.0a-virtual");
}

TEST_CASE("PTX of variants is no PTX for later GPUs") {
  CHECK(expanded("8.0;8.6;9.0a+PTX", v12_4) == "8.0 8.6+ptx 9.0a+ptx");
  CHECK(expanded("8.0;8.6;9.0a+PTX", v12_4, false) == "8.0 8.6 9.0a+ptx");
  CHECK(expanded("9.0;10.0f+ptx", v13_0) == "9.0+ptx 10.0f+ptx");
  struct Row {
    const char *list, *note;
    bool later;
  };
  for (const Row& row :
       {Row{"8.6;9.0a+ptx", "PTX of 8.6 is added", true}, Row{"8.6;9.0a", "", true},
        Row{"9.0a+ptx", "no PTX for later GPUs", false}, Row{"10.0f+ptx", "no PTX for later GPUs", false}}) {
    CAPTURE(row.list);
    const auto expansion = expand(row.list, {shipped_gpus(), v13_0, true, {}});
    REQUIRE(expansion);
    CHECK(expansion->is_forward_compatible() == row.later);
    const std::string note = expansion->notes.empty() ? "" : expansion->notes.front();
    CHECK_MESSAGE(note.substr(0, std::string(row.note).size()) == row.note, note);
    CHECK(note.empty() == (*row.note == 0));
  }
  const auto family = expand("9.0;10.0f", {shipped_gpus(), v13_0, true, {}});
  REQUIRE(family);
  REQUIRE(family->notes.size() == 1);
  CHECK(family->notes[0].find("older CMake") == 0);
}

TEST_CASE("a family with its own baseline is refused, as by nvcc, and no other mixture") {
  for (const char* const list :
       {"10.0;10.0f", "10.0f;10.0", "10.0f+ptx;9.0;10.0", "11.0;11.0f", "12.1f;12.1"}) {
    CAPTURE(list);
    CHECK(expanded(list, v13_0).find("f: nvcc does not compile for it and for 1") != std::string::npos);
  }
  for (const char* const list :
       {"10.0a;10.0f", "10.0;10.0a", "10.3f;10.0", "10.0f;10.3", "9.0;9.0a", "10.0f;10.3f"}) {
    CAPTURE(list);
    CHECK(expanded(list, v13_0, false).find('\n') == std::string::npos);
  }
  // A program linked from objects of several calls can contain both.
  CHECK(expand("10.0;10.0f", {shipped_gpus(), std::nullopt, true, {}}));
}

TEST_CASE("keywords mean what a toolkit supports, without Jetsons and variants") {
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

TEST_CASE("a malformed item is refused with a suggestion") {
  struct Row {
    const char *list, *answer;
  };
  for (const Row& row : {Row{"", "the list of compute capabilities is empty"},
                         Row{"  ", "the list of compute capabilities is empty"},
                         Row{";", "(nothing): an item is empty"},
                         Row{"8.0;", "(nothing): an item is empty"},
                         Row{"8.0;8.0", "8.0: 8.0 is listed twice"},
                         Row{"8.0;8.0+ptx", "8.0+ptx: 8.0 is listed twice"},
                         Row{"9", "9: a capability has a major and a minor: write 9.0 if that is meant"},
                         Row{"9.0.0", "9.0.0: a capability is a major and a minor"},
                         Row{"sm_90", "sm_90: write 9.0"},
                         Row{"compute_90", "compute_90: write 9.0-virtual for PTX alone, or 9.0+ptx"},
                         Row{"90a", "90a: write 9.0a"},
                         Row{"100f+ptx", "100f+ptx: write 10.0f+ptx"},
                         Row{"\xD9\xA9.\xD9\xA0", "a capability is written in ASCII digits"},
                         Row{"native;8.0", "native: this keyword must be the whole list"},
                         Row{"all+ptx", "all+ptx: this keyword must be the whole list"},
                         Row{"All-Major-real", "All-Major-real: this keyword must be the whole list"},
                         Row{"\n", "the list of compute"},
                         Row{"90-real", "90-real: write 9.0"},
                         Row{"90a-virtual", "90a-virtual: write 9.0a-virtual for PTX alone"},
                         Row{"9.0-virtual+ptx", "9.0-virtual+ptx: write 9.0-virtual"},
                         Row{"9.0+ptx-virtual", "9.0+ptx-virtual: not a"},
                         Row{"9.0;9.0-virtual", "9.0-virtual: 9.0 is listed twice"},
                         Row{"-virtual", "-virtual: not a compute capability"},
                         Row{"9.0-real", "9.0-real: write 9.0"},
                         Row{"compute_90a", "write 9.0a-virtual"},
                         Row{"12", "write 12.0 if"},
                         Row{"9.0 a", "a: `+ptx`, `a` and `f` directly follow"},
                         Row{"9.0 +ptx", "+ptx: `+ptx`, `a` and `f`"},
                         Row{"8,6", "8: a capability has a major and a minor"},
                         Row{"8.0,,8.6", "(nothing): an item is empty"},
                         Row{"\xEF\xBB\xBF"
                             "8.0",
                             "\\xef\\xbb\\xbf8.0: a byte order mark"},
                         Row{"8.0\x1b[31m", "8.0\\x1b[31m: not a compute capability"},
                         Row{"hopper", "hopper: not a compute capability"}}) {
    CAPTURE(row.list);
    CHECK_MESSAGE(expanded(row.list, v12_4).find(row.answer) != std::string::npos, expanded(row.list, v12_4));
  }
}

TEST_CASE("keywords and separators are accepted as other tools write them") {
  for (const char* const list : {" all ", "ALL", "All\n", "\tall"})
    CHECK(expanded(list, v12_4) == expanded("all", v12_4));
  CHECK(expanded("All-Major", v12_4) == expanded("all-major", v12_4));
  CHECK(depends_on_toolkit(" ALL\n"));
  CHECK_FALSE(depends_on_toolkit("all;8.0"));
  for (const char* const list : {"8.0,8.6", "8.0 8.6", "8.0\n8.6\n", " 8.0, 8.6 ", "8.0;\r\n8.6", "8.0\t8.6"})
    CHECK(expanded(list, v12_4) == "8.0 8.6+ptx");
  CHECK(expanded("8.0 8.0", v12_4).find("8.0: 8.0 is listed twice") != std::string::npos);
}

TEST_CASE("errors about a NUL and very long lists are short") {
  CHECK(expanded(std::string_view("8.0\0", 4), v12_4).find("8.0\\x00: not a") != std::string::npos);
  std::string many;
  for (int i = 0; i < 100'000; ++i)
    many += "8.0;";
  const std::string text = expanded(many, v12_4);
  CHECK(text.size() < 4'000);
  CHECK(text.find("and 99980 more like these") != std::string::npos);
  CHECK(expanded(std::string(1'000'000, '8'), v12_4).size() < 1'000);
}

TEST_CASE("everything wrong with a list is reported at once") {
  const std::string text = expanded("9;sm_80;7.0", v12_4);
  CHECK(text.find("9: ") != std::string::npos);
  CHECK(text.find("sm_80: write 8.0") != std::string::npos);
  CHECK(expanded("9;7.0", v13_0).find("7.0: CUDA 13.0 no longer") != std::string::npos);
}

TEST_CASE("what a toolkit does not support is refused with the releases that do") {
  CHECK(expanded("8.1", v12_4).find("8.1: no known GPU has this compute capability") != std::string::npos);
  CHECK(expanded("9.0", v11_2).find("CUDA 11.2 does not know 9.0 (Hopper) yet: CUDA 11.8 is the first") !=
        std::string::npos);
  CHECK(expanded("9.0a", v11_8).find("CUDA 12.0 is the first") != std::string::npos);
  CHECK(expanded("7.0", v13_0).find("CUDA 13.0 no longer compiles for 7.0 (Volta): CUDA 12.9 is the last") !=
        std::string::npos);
  CHECK(expanded("10.1", v13_0).find("as 11.0") != std::string::npos);
  CHECK(expanded("8.6a", v13_0).find("8.6 (Ampere) has no variant") != std::string::npos);
}

TEST_CASE("a target for Jetsons alone takes no others, and one for other machines takes none") {
  const auto on = [](TargetGpus gpus, const char* target, std::string_view list, const Version& toolkit) {
    const auto expansion = expand(list, {shipped_gpus(), toolkit, false, {}, {}, gpus, target});
    if (!expansion)
      return expansion.error().message;
    std::string text;
    for (const GpuTarget& one : expansion->targets)
      text += to_string(one.capability) + ' ';
    return text;
  };
  CHECK(on(TargetGpus::jetsons, "linux-aarch64", "5.3;6.2;7.2;8.7", v12_4) == "5.3 6.2 7.2 8.7 ");
  CHECK(on(TargetGpus::jetsons, "linux-aarch64", "all", v12_4) == "5.3 6.2 7.2 8.7 ");
  CHECK(on(TargetGpus::jetsons, "linux-aarch64", "8.6;8.7", v12_4)
            .find("8.6: no Jetson has it, and linux-aarch64 is for Jetsons alone") != std::string::npos);
  CHECK(on(TargetGpus::others, "linux-sbsa", "8.7", v12_4)
            .find("8.7: a Jetson, and linux-sbsa of this release is for other machines") !=
        std::string::npos);
  CHECK(on(TargetGpus::others, "linux-sbsa", "8.0;9.0", v12_4) == "8.0 9.0 ");
  CHECK(on(TargetGpus::both, "linux-sbsa", "native", v13_0) ==
        "native means the GPUs of this machine, and linux-sbsa is for other machines");
  CHECK(on(TargetGpus::both, "linux-sbsa", "8.7;9.0;11.0", v13_0) == "8.7 9.0 11.0 ");
}

TEST_CASE("a Jetson must be alone") {
  CHECK(expanded("8.7", v12_4) == "8.7+ptx");
  CHECK(expanded("7.2;8.7", v12_4) == "7.2 8.7+ptx");
  CHECK(expanded("8.6;8.7", v12_4).find("8.7: a Jetson") != std::string::npos);
}

TEST_CASE("native is what the machine reports, each once, or the reason why it reports nothing") {
  const auto native = [] {
    return Result<std::vector<Capability>>(
        {Capability{9, 0, {}}, Capability{8, 0, {}}, Capability{9, 0, {}}});
  };
  const auto expansion = expand("native", {shipped_gpus(), v12_4, true, native});
  REQUIRE(expansion);
  CHECK(expansion->targets == std::vector<GpuTarget>{{{8, 0, {}}, true, false}, {{9, 0, {}}, true, true}});
  const auto none = [] { return Result<std::vector<Capability>>(failure("no driver")); };
  const auto refused = expand("native", {shipped_gpus(), v12_4, true, none});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "no driver");
}
