// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/repeated.hpp"
#include "tests/unit/toolchains/cmdline/calls.hpp"
#include "wrapper/nvcc/gpu_list.hpp"
#include "wrapper/nvcc/rewrite.hpp"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

using namespace hostpin::cmdline;
using namespace hostpin::nvcc;
using Words = std::vector<std::string>;

namespace {

const TextMap files = {{"f", {"-arch=sm_70 -DF"}},
                       {"g", {"-DG \"-DB=a b\""}},
                       {"h", {"-DH -optf f,g -gencode arch=compute_86,code=sm_86 -w"}}};

const Words vocabulary = {"-c",
                          "x.cu",
                          "x.o",
                          "-arch",
                          "sm_70",
                          "sm_80",
                          "compute_80",
                          "-arch=sm_80",
                          "-arch=sm_90a",
                          "-arch=compute_75",
                          "-arch=all",
                          "-arch=foo",
                          "--gpu-architecture=native",
                          "-code",
                          "-code=sm_80,sm_86",
                          "-gencode",
                          "arch=compute_90a,code=sm_90a",
                          "arch=compute_80,code=[sm_80,compute_80]",
                          "-gencode=arch=compute_80,code=sm_80",
                          "-gencode=arch=compute_90,code=sm_90",
                          "-gencode=arch=compute_90,code=compute_90",
                          "--generate-code=arch=compute_70,code=lto_70",
                          "-gencode=arch=compute_90,code=sm_80",
                          "-dlto",
                          "-rdc",
                          "false",
                          "-rdc=false",
                          "-rdc=true",
                          "-ewp",
                          "-dc",
                          "-dw",
                          "-arch=lto_70",
                          "-ltoir",
                          "-ptx",
                          "-cubin",
                          "-dlink",
                          "-optf",
                          "f",
                          "g",
                          "h",
                          "-optf=f",
                          "--options-file=h",
                          "-ccbin=/a",
                          "-Xcompiler",
                          "-Xptxas=-v",
                          "-DX",
                          "-o",
                          "--version",
                          "-lib"};

const std::vector<std::string_view> list = {"-gencode=arch=compute_80,code=sm_80",
                                            "-gencode=arch=compute_90,code=sm_90",
                                            "-gencode=arch=compute_90,code=compute_90"};
const std::vector<std::string_view> variants = {"90a 90a"};

class Dice {
public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return engine_() % n; }
  Words words(std::size_t longest) {
    Words some(below(longest + 1));
    for (std::string& word : some)
      word = vocabulary[below(vocabulary.size())];
    return some;
  }
  std::optional<std::string> flags() {
    if (below(3) != 0)
      return std::nullopt;
    std::string text;
    for (const std::string& word : words(3))
      text += word + ' ';
    return text;
  }

private:
  std::mt19937 engine_;
};

/// A call, and what nvcc reads of it in the end.
struct Read {
  Words gpu_options, others; // as text; an option apart from its value is joined with it
};

Read read(const NvccCommand& command, bool without_lto) {
  Read read;
  for (const NvccWord& word : command.words) {
    if (word.meaning == NvccMeaning::options_file && word.whole) {
      if (word.apart)
        read.others.pop_back();
    } else if (names_gpus(word.meaning)) {
      if (word.apart)
        read.others.pop_back();
      read.gpu_options.emplace_back(word.value());
    } else if (without_lto && word.meaning == NvccMeaning::relocatable) {
      if (word.apart)
        read.others.pop_back();
    } else if (word.meaning != NvccMeaning::device_lto || !without_lto) {
      read.others.emplace_back(word.text);
    }
  }
  return read;
}

OwnedCall after(const OwnedCall& call, const Rewrite& rewrite) {
  OwnedCall result{{rewrite.arguments.begin(), rewrite.arguments.end()}, call.prepend, call.append};
  for (const VariableChange& change : rewrite.variables)
    (change.name == "NVCC_PREPEND_FLAGS" ? result.prepend : result.append) = change.value;
  return result;
}

/// What no call may break, whatever it names.
void check(OwnedCall call) {
  const MappedTexts texts(files);
  const NvccCommand command = nvcc_command(call.call(), texts);
  GpuChange change;
  change.decide(command, {list, variants});
  const Rewrite rewrite = as_given(call.call(), command, &change);
  if (change.kind() != GpuChange::Kind::replaced) {
    const Rewrite unchanged = as_given(call.call(), command);
    CHECK(Words(rewrite.arguments.begin(), rewrite.arguments.end()) ==
          Words(unchanged.arguments.begin(), unchanged.arguments.end()));
    CHECK(rewrite.variables.empty());
    return;
  }
  OwnedCall result = after(call, rewrite);
  const NvccCommand again = nvcc_command(result.call(), texts);
  // The options that nvcc reads are those of the list; everything else is there, in its order.
  Words expected;
  for (const char* const argument : change.arguments())
    if (const std::string_view text = argument; text.starts_with("-gencode="))
      expected.emplace_back(text.substr(9));
  Read before = read(command, change.drops_device_lto()), now = read(again, false);
  CHECK(now.gpu_options == expected);
  if (change.drops_device_lto())
    now.others.erase(std::find(now.others.begin(), now.others.end(), "-rdc=true"));
  CHECK(now.others == before.others);
  // A second time nothing is left to do.
  GpuChange repeated;
  repeated.decide(again, {list, variants});
  CHECK(repeated.kind() == GpuChange::Kind::none);
}

} // namespace

TEST_CASE(
    "whatever a call names, its options become those of the list and the rest stays, or all of it stays") {
  for (unsigned seed = 0; seed < hostpin::test::repeated(200'000); ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    const Words line = dice.words(7);
    check({line, dice.flags(), dice.flags()});
  }
}
