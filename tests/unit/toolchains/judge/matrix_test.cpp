// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/judge/samples.hpp"
#include "toolchains/judge/judge.hpp"

#include <algorithm>
#include <string>
#include <vector>

using namespace hostpin;

namespace {

struct Host {
  const char* name;
  Family family;
  Version version;
  Version glibc;
};

// The lab's compilers: every one was tried on a small .cu file with every toolkit, without any flag.
const Host hosts[] = {
    {"g++-9", Family::gcc, {9, 3, 0}, {2, 31, 0}},
    {"g++-10", Family::gcc, {10, 2, 1}, {2, 31, 0}},
    {"g++-11", Family::gcc, {11, 3, 0}, {2, 36, 0}},
    {"g++-12", Family::gcc, {12, 2, 0}, {2, 36, 0}},
    {"g++-13", Family::gcc, {13, 3, 0}, {2, 36, 0}},
    {"g++-14", Family::gcc, {14, 2, 0}, {2, 36, 0}},
    {"g++-15", Family::gcc, {15, 3, 0}, {2, 36, 0}},
    {"g++-16", Family::gcc, {16, 2, 0}, {2, 36, 0}},
    {"clang++-13", Family::clang, {13, 0, 1}, {2, 36, 0}},
    {"clang++-14", Family::clang, {14, 0, 6}, {2, 36, 0}},
    {"clang++-15", Family::clang, {15, 0, 6}, {2, 36, 0}},
    {"clang++-16", Family::clang, {16, 0, 6}, {2, 36, 0}},
    {"clang++-17", Family::clang, {17, 0, 6}, {2, 36, 0}},
    {"clang++-18", Family::clang, {18, 1, 8}, {2, 36, 0}},
    {"clang++-19", Family::clang, {19, 1, 7}, {2, 36, 0}},
    {"clang++-21", Family::clang, {21, 1, 8}, {2, 36, 0}},
    {"clang++-22", Family::clang, {22, 1, 8}, {2, 36, 0}},
    {"g++-13-newglibc", Family::gcc, {13, 3, 0}, {2, 41, 0}},
    {"g++-14-newglibc", Family::gcc, {14, 2, 0}, {2, 41, 0}},
    {"g++-15-newglibc", Family::gcc, {15, 3, 0}, {2, 43, 0}},
    {"g++-16-newglibc", Family::gcc, {16, 2, 0}, {2, 43, 0}},
};

struct Trial {
  Version toolkit;
  Bounds gcc, clang; ///< of its gate
  std::vector<std::string> compiled;
};

const Trial trials[] = {
    {{11, 2, 152}, {std::nullopt, 10}, {4, 11}, {"g++-9", "g++-10"}},
    {{11, 8, 89}, {std::nullopt, 11}, {4, 14}, {"g++-9", "g++-10", "g++-11", "clang++-13", "clang++-14"}},
    {{12, 4, 131},
     {std::nullopt, 13},
     {4, 17},
     {"g++-9", "g++-10", "g++-11", "g++-12", "g++-13", "clang++-13", "clang++-14", "clang++-15", "clang++-16",
      "clang++-17"}},
    {{13, 0, 88},
     {std::nullopt, 15},
     {4, 20},
     {"g++-9", "g++-10", "g++-11", "g++-12", "g++-13", "g++-14", "g++-15", "clang++-13", "clang++-14",
      "clang++-15", "clang++-16", "clang++-17", "clang++-18", "clang++-19", "g++-13-newglibc",
      "g++-14-newglibc"}},
};

} // namespace

TEST_CASE("a compiler fits exactly where the real compile succeeded, by the table, the gate, or both") {
  const Table table = shipped_table();
  int pairs = 0;
  for (const Trial& trial : trials) {
    const DocumentedRange* const range = table.documented(trial.toolkit);
    REQUIRE(range != nullptr);
    const Acceptance known[] = {{*range, gate(trial.gcc, trial.clang), libcs(trial.toolkit)},
                                {*range, std::nullopt, libcs(trial.toolkit)}};
    for (const Host& host : hosts) {
      ++pairs;
      const bool compiled = std::count(trial.compiled.begin(), trial.compiled.end(), host.name) != 0;
      for (const Acceptance& acceptance : known) {
        const Judgement judgement =
            judge(compiler(host.family, host.version, host.glibc), toolkit(trial.toolkit), acceptance, table);
        CAPTURE(to_string(trial.toolkit));
        CAPTURE(host.name);
        CAPTURE(judgement.reason);
        CHECK((judgement.verdict == Verdict::fits) == compiled);
        CHECK_FALSE(judgement.source.empty());
      }
    }
  }
  CHECK(pairs == 84);
}
