// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/cmdline/calls.hpp"
#include "wrapper/nvcc/rewrite.hpp"

#include <doctest/doctest.h>

using namespace hostpin::cmdline;
using namespace hostpin::nvcc;
using Words = std::vector<std::string>;

namespace {

struct Result {
  Words arguments;
  std::map<std::string, std::optional<std::string>> variables = {};
  bool operator==(const Result&) const = default;
};

Result rewritten(OwnedCall call, TextMap files = {}, const char* ours = "/ours/c++",
                 const char* target = nullptr) {
  MappedTexts texts(std::move(files));
  const NvccCommand naming = nvcc_command(call.call(), texts);
  const Rewrite result = rewrite(call.call(), naming, ours, target);
  Result plain{{result.arguments.begin(), result.arguments.end()}};
  for (const VariableChange& change : result.variables)
    plain.variables[change.name] = change.value;
  return plain;
}

const char* const spaced = "/our dir/c++";

} // namespace

TEST_CASE("when nobody named a host compiler ours goes in front and nothing else changes") {
  CHECK(rewritten({{"-c", "a.cu", "-Xcompiler", "-ccbin"}, "-v", "-w"}) ==
        Result{{"-ccbin", "/ours/c++", "-c", "a.cu", "-Xcompiler", "-ccbin"}});
  CHECK(rewritten({{}}) == Result{{"-ccbin", "/ours/c++"}});
  CHECK(rewritten({{"--version"}}) == Result{{"-ccbin", "/ours/c++", "--version"}});
}

TEST_CASE(
    "a call that names no target directory gets ours in front, with any way of naming the host compiler") {
  const auto with_target = [](OwnedCall call) {
    return rewritten(std::move(call), {}, "/ours/c++", "sbsa-linux");
  };
  CHECK(with_target({{"-c", "a.cu"}}) ==
        Result{{"-ccbin", "/ours/c++", "-target-dir", "sbsa-linux", "-c", "a.cu"}});
  CHECK(with_target({{"-ccbin=/g", "a.cu"}}) ==
        Result{{"-target-dir", "sbsa-linux", "-ccbin=/ours/c++", "a.cu"}});
  CHECK(with_target({{"a.cu", "--target-directory=aarch64-linux"}}) ==
        Result{{"-ccbin", "/ours/c++", "a.cu", "--target-directory=aarch64-linux"}});
  CHECK(with_target({{"a.cu"}, "-target-dir x86_64-linux"}) == Result{{"-ccbin", "/ours/c++", "a.cu"}});
  // The last option of the variable takes its value from the command line.
  CHECK(with_target({{"/g", "a.cu"}, "-ccbin"}) ==
        Result{{"-target-dir", "sbsa-linux", "-ccbin", "/ours/c++", "a.cu"},
               {{"NVCC_PREPEND_FLAGS", std::nullopt}}});
}

TEST_CASE("a named host compiler is replaced where it stands, in the form in which it stands") {
  CHECK(rewritten({{"-c", "-ccbin", "/g", "a.cu"}}, {}, spaced) == Result{{"-c", "-ccbin", spaced, "a.cu"}});
  CHECK(rewritten({{"-ccbin=/g", "a.cu"}}, {}, spaced) == Result{{"-ccbin=/our dir/c++", "a.cu"}});
  CHECK(rewritten({{"--compiler-bindir=/g"}}) == Result{{"--compiler-bindir=/ours/c++"}});
  CHECK(rewritten({{"--compiler-bindir", "/g"}}) == Result{{"--compiler-bindir", "/ours/c++"}});
}

TEST_CASE("values that lose stay, and values equal to the one that wins are replaced with it") {
  CHECK(rewritten({{"-ccbin=/a", "-ccbin", "/b", "-ccbin", "/a"}, "-ccbin /a", "-v"}) ==
        Result{{"-ccbin=/ours/c++", "-ccbin", "/b", "-ccbin", "/ours/c++"},
               {{"NVCC_PREPEND_FLAGS", "-ccbin /ours/c++"}}});
  CHECK(rewritten({{"-ccbin=/a"}, "-ccbin /b"}) == Result{{"-ccbin=/ours/c++"}});
}

TEST_CASE("a value in a flags variable is replaced in that variable, byte for byte around it") {
  CHECK(rewritten({{"a.cu"}, " -v\t-ccbin  /g -DX=\"a b\" "}) ==
        Result{{"a.cu"}, {{"NVCC_PREPEND_FLAGS", " -v\t-ccbin  /ours/c++ -DX=\"a b\" "}}});
  CHECK(rewritten({{"a.cu", "-ccbin=/l"}, "-v", "-ccbin=/g -w -ccbin=/g"}) ==
        Result{{"a.cu", "-ccbin=/l"}, {{"NVCC_APPEND_FLAGS", "-ccbin=/ours/c++ -w -ccbin=/ours/c++"}}});
}

TEST_CASE("a flags variable that cannot hold our path moves into the arguments") {
  CHECK(rewritten({{"a.cu"}, "-v -ccbin /g -DX=\"a b\"", "-w"}, {}, spaced) ==
        Result{{"-v", "-ccbin", spaced, "-DX=\"a b\"", "a.cu"}, {{"NVCC_PREPEND_FLAGS", std::nullopt}}});
  CHECK(rewritten({{"a.cu"}, "-v", "-w -ccbin=/g"}, {}, "/o\"o/c++") ==
        Result{{"a.cu", "-w", "-ccbin=/o\"o/c++"}, {{"NVCC_APPEND_FLAGS", std::nullopt}}});
}

TEST_CASE("NVCC_CCBIN gets our path, whatever it holds") {
  CHECK(rewritten({{"a.cu"}, std::nullopt, std::nullopt, "/g"}, {}, spaced) ==
        Result{{"a.cu"}, {{"NVCC_CCBIN", spaced}}});
}

TEST_CASE("an options file that names the host compiler is replaced by its words") {
  const TextMap files = {{"f", {"-v \"-DX=a b\"\n-ccbin /g"}},
                         {"g", {"-w"}},
                         {"n", {"-DN -optf g -optf=f -DM"}},
                         {"o", {"-ccbin=/o"}}};
  const Words inside = {"-v", "-DX=a b", "-ccbin", spaced};
  const auto around = [&](Words before, const Words& after) {
    before.insert(before.end(), inside.begin(), inside.end());
    before.insert(before.end(), after.begin(), after.end());
    return before;
  };
  CHECK(rewritten({{"-c", "-optf", "f", "a.cu"}}, files, spaced) == Result{around({"-c"}, {"a.cu"})});
  CHECK(rewritten({{"--options-file=f"}}, files, spaced) == Result{around({}, {})});
  CHECK(rewritten({{"-optf", "f,g"}}, files, spaced) == Result{around({}, {"-w"})});
  CHECK(rewritten({{"-optf", "n", "-c"}}, files, spaced) ==
        Result{around({"-DN", "-optf", "g"}, {"-DM", "-c"})});
  CHECK(rewritten({{"-optf=g", "-optf=f"}}, files, spaced) == Result{around({"-optf=g"}, {})});
  CHECK(rewritten({{"-optf=f", "-optf=o"}}, files, spaced) == Result{{"-optf=f", "-ccbin=/our dir/c++"}});
  CHECK(rewritten({{"-optf=f", "-ccbin=/l"}}, files) == Result{{"-optf=f", "-ccbin=/ours/c++"}});
  CHECK(rewritten({{"-optf=g"}}, files) == Result{{"-ccbin", "/ours/c++", "-optf=g"}});
}

TEST_CASE("an options file named in a flags variable brings the variable's other words with it") {
  const TextMap files = {{"f", {"-ccbin /g"}}};
  CHECK(rewritten({{"a.cu"}, "-v -optf f -w"}, files) ==
        Result{{"-v", "-ccbin", "/ours/c++", "-w", "a.cu"}, {{"NVCC_PREPEND_FLAGS", std::nullopt}}});
  CHECK(rewritten({{"a.cu"}, "-v", "-optf=f"}, files) ==
        Result{{"a.cu", "-ccbin", "/ours/c++"}, {{"NVCC_APPEND_FLAGS", std::nullopt}}});
}

TEST_CASE("options and values parted by the border of a flags variable stay together") {
  const TextMap files = {{"f", {"-ccbin /g"}}};
  CHECK(rewritten({{"/g", "a.cu"}, "-v -ccbin"}) == Result{{"/ours/c++", "a.cu"}});
  CHECK(rewritten({{"a.cu", "-ccbin"}, std::nullopt, "/g -v"}) ==
        Result{{"a.cu", "-ccbin"}, {{"NVCC_APPEND_FLAGS", "/ours/c++ -v"}}});
  CHECK(rewritten({{"f", "a.cu"}, "-v -optf"}, files) ==
        Result{{"-v", "-ccbin", "/ours/c++", "a.cu"}, {{"NVCC_PREPEND_FLAGS", std::nullopt}}});
  CHECK(rewritten({{"a.cu", "-optf"}, std::nullopt, "f -v"}, files) ==
        Result{{"a.cu", "-ccbin", "/ours/c++", "-v"}, {{"NVCC_APPEND_FLAGS", std::nullopt}}});
  CHECK(rewritten({{}, "-v -optf", "f -w"}, files) ==
        Result{{"-v", "-ccbin", "/ours/c++", "-w"},
               {{"NVCC_PREPEND_FLAGS", std::nullopt}, {"NVCC_APPEND_FLAGS", std::nullopt}}});
  CHECK(rewritten({{"x.o", "a.cu"}, "-c -o"}) ==
        Result{{"-ccbin", "/ours/c++", "-c", "-o", "x.o", "a.cu"}, {{"NVCC_PREPEND_FLAGS", std::nullopt}}});
}

TEST_CASE("an options file that can be read only once is replaced by its words even if it names nobody") {
  CHECK(rewritten({{"-optf", "/dev/fd/63", "a.cu"}}, {{"/dev/fd/63", {"-c -DX", true}}}) ==
        Result{{"-ccbin", "/ours/c++", "-c", "-DX", "a.cu"}});
  CHECK(rewritten({{"-optf", "p"}, std::nullopt, std::nullopt, "/g"}, {{"p", {"-c", true}}}) ==
        Result{{"-c"}, {{"NVCC_CCBIN", "/ours/c++"}}});
}

TEST_CASE("an options file that nvcc will refuse is left for nvcc to refuse") {
  CHECK(rewritten({{"-optf", "f,g"}}, {{"f", {"-ccbin /g"}}}) == Result{{"-optf", "f,g"}});
  CHECK(rewritten({{"-optf", "f", "x"}}, {{"f", {"-ccbin /g -o"}}}) == Result{{"-optf", "f", "x"}});
  CHECK(rewritten({{"-optf", "f"}}, {{"f", {"-ccbin /g \""}}}) ==
        Result{{"-ccbin", "/ours/c++", "-optf", "f"}});
  CHECK(rewritten({{"-optf", "g,f", "-optf=f"}}, {{"f", {"-ccbin /g"}}}) ==
        Result{{"-optf", "g,f", "-ccbin", "/ours/c++"}});
}

TEST_CASE("a call left as given changes only by the options file that was used up") {
  const auto given = [](OwnedCall call, TextMap files) {
    MappedTexts texts(std::move(files));
    const NvccCommand naming = nvcc_command(call.call(), texts);
    const Rewrite result = as_given(call.call(), naming);
    CHECK(result.variables.empty());
    return Words(result.arguments.begin(), result.arguments.end());
  };
  CHECK(given({{"-c", "-ccbin", "/g", "-optf=f"}, "-v"}, {{"f", {"-ccbin /h"}}}) ==
        Words{"-c", "-ccbin", "/g", "-optf=f"});
  CHECK(given({{"-c", "-ccbin", "/g", "-optf=f"}}, {{"f", {"-ccbin /h", true}}}) ==
        Words{"-c", "-ccbin", "/g", "-ccbin", "/h"});
  CHECK(given({{"-c", "-optf=f"}}, {{"f", {"-DX", true}}}) == Words{"-c", "-DX"});
}
