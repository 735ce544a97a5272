// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "calls.hpp"

#include <doctest/doctest.h>

using namespace hostpin::cmdline;
using By = CcbinChoice::By;

namespace {

struct Named {
  By by;
  std::string value;
  bool operator==(const Named&) const = default;
};

Named named(OwnedCall call, TextMap files = {}) {
  MappedTexts texts(std::move(files));
  const NvccCommand naming = nvcc_command(call.call(), texts);
  return {naming.ccbin.by, std::string(naming.ccbin.value)};
}

const Named nobody{By::nobody, ""};

} // namespace

TEST_CASE("the command line names a host compiler in four forms") {
  CHECK(named({{"-ccbin", "/g"}}) == Named{By::command_line, "/g"});
  CHECK(named({{"-ccbin=/g"}}) == Named{By::command_line, "/g"});
  CHECK(named({{"-c", "--compiler-bindir", "/g", "a.cu"}}) == Named{By::command_line, "/g"});
  CHECK(named({{"--compiler-bindir=/g"}}) == Named{By::command_line, "/g"});
}

TEST_CASE("what nvcc rejects or reads as something else names nobody") {
  CHECK(named({{"--ccbin", "/g"}}) == nobody);
  CHECK(named({{"-compiler-bindir", "/g"}}) == nobody);
  CHECK(named({{"-ccbin/g"}}) == nobody);
  CHECK(named({{"-Xcompiler", "-ccbin", "/g"}}) == nobody);
  CHECK(named({{"-Xcompiler=-ccbin", "/g"}}) == nobody);
  CHECK(named({{"-o", "-ccbin=/g", "a.cu"}}) == nobody);
  CHECK(named({{"-D", "-ccbin", "-I", "--compiler-bindir=x"}}) == nobody);
  CHECK(named({{"@f", "a.cu", "-ccbin"}}) == nobody);
  CHECK(named({{}}) == nobody);
}

TEST_CASE("an optional value does not swallow the option behind it") {
  CHECK(named({{"-hls", "-ccbin", "/g"}}) == Named{By::command_line, "/g"});
  CHECK(named({{"-hls", "gen-lcs", "-ccbin=/g"}}) == Named{By::command_line, "/g"});
}

TEST_CASE("the last one named on the command line wins, and its position is told") {
  OwnedCall call{{"-ccbin", "/a", "a.cu", "-ccbin", "/b"}};
  MappedTexts texts;
  const NvccCommand naming = nvcc_command(call.call(), texts);
  CHECK(naming.ccbin.value == "/b");
  CHECK(naming.ccbin.position == 4);
}

TEST_CASE("values are taken byte for byte, quotes and blanks included") {
  CHECK(named({{"-ccbin", " \"/g\" ,x"}}) == Named{By::command_line, " \"/g\" ,x"});
  CHECK(named({{"-ccbin==/g"}}) == Named{By::command_line, "=/g"});
  CHECK(named({{"-ccbin", "-c"}}) == Named{By::command_line, "-c"});
  CHECK(named({{"-ccbin="}}) == Named{By::command_line, ""});
}

TEST_CASE("the appended flags outrank the command line, that the prepended flags, those the variable") {
  CHECK(named({{"-ccbin=/line"}, "-ccbin=/pre", "-ccbin=/app", "/var"}) == Named{By::append_flags, "/app"});
  CHECK(named({{"-ccbin=/line"}, "-ccbin=/pre", "-v", "/var"}) == Named{By::command_line, "/line"});
  CHECK(named({{"a.cu"}, "-v -ccbin /pre", std::nullopt, "/var"}) == Named{By::prepend_flags, "/pre"});
  CHECK(named({{"a.cu"}, std::nullopt, std::nullopt, "/var x"}) == Named{By::ccbin_variable, "/var x"});
}

TEST_CASE("NVCC_CCBIN names nobody for a release that ignores it, nor when it is empty") {
  CHECK(named({{"a.cu"}, std::nullopt, std::nullopt, "/var", false}) == nobody);
  CHECK(named({{"a.cu"}, std::nullopt, std::nullopt, ""}) == nobody);
}

TEST_CASE("an option may take its value across the border of a flags variable") {
  CHECK(named({{"/g", "a.cu"}, "-ccbin"}) == Named{By::command_line, "/g"});
  CHECK(named({{"a.cu", "-ccbin"}, std::nullopt, "/g"}) == Named{By::append_flags, "/g"});
  CHECK(named({{"-ccbin=/g"}, "-Xcompiler"}) == nobody);
  CHECK(named({{"-Xcompiler"}, std::nullopt, "-ccbin=/g"}) == nobody);
}

TEST_CASE("a flags variable keeps its quotes, and with a stray one it is refused") {
  CHECK(named({{"a.cu"}, "-ccbin \"/g h\""}) == Named{By::prepend_flags, "\"/g h\""});
  CHECK(named({{"a.cu"}, "-ccbin \"/g"}) == nobody);
}

TEST_CASE("quotes in a flags variable are read as the release reads them") {
  const char* const flags = "-DX=\"a\\\" -ccbin=/g \"b\"";
  const NvccCall older{flags, {}, std::nullopt, std::nullopt, false, false};
  const NvccCall newer{flags, {}, std::nullopt, std::nullopt, true, true};
  MappedTexts texts;
  CHECK(nvcc_command(older, texts).ccbin.value == "/g");
  CHECK(nvcc_command(newer, texts).ccbin.by == By::nobody);
}

TEST_CASE("an options file names a host compiler where it stands") {
  const TextMap texts = TextMap{{"f", {"-ccbin \"/g h\""}}, {"g", {"-c\n-ccbin=/g"}}};
  OwnedCall call{{"a.cu", "-optf", "f"}};
  MappedTexts mapped(texts);
  const NvccCommand naming = nvcc_command(call.call(), mapped);
  CHECK(naming.ccbin.by == By::options_file);
  CHECK(naming.ccbin.value == "/g h");
  CHECK(naming.ccbin.file == "f");
  CHECK(naming.ccbin.position == 2);
  CHECK(named({{"-optf=f"}}, texts) == Named{By::options_file, "/g h"});
  CHECK(named({{"--options-file", "f,g"}}, texts) == Named{By::options_file, "/g"});
  CHECK(named({{"--options-file=g,f"}}, texts) == Named{By::options_file, "/g h"});
  CHECK(named({{"-optf", "f", "-ccbin=/l"}}, texts) == Named{By::command_line, "/l"});
  CHECK(named({{"-ccbin=/l", "-optf", "f"}}, texts) == Named{By::options_file, "/g h"});
  CHECK(named({{"a.cu"}, "-optf f"}, texts) == Named{By::options_file, "/g h"});
  CHECK(named({{"-ccbin=/l"}, "-optf f"}, texts) == Named{By::command_line, "/l"});
  CHECK(named({{"-options-file", "f"}}, texts) == nobody);
}

TEST_CASE("options files nest, and are found from the current directory") {
  CHECK(named({{"-optf=d/f"}}, TextMap{{"d/f", {"-optf g"}}, {"g", {"-ccbin /g"}}}) ==
        Named{By::options_file, "/g"});
  CHECK(named({{"-optf=d/f"}}, TextMap{{"d/f", {"-optf g"}}, {"d/g", {"-ccbin /g"}}}) == nobody);
}

TEST_CASE("an option at the end of an options file takes nothing from behind it") {
  CHECK(named({{"-optf", "f", "-ccbin=/g"}}, TextMap{{"f", {"-Xcompiler"}}}) ==
        Named{By::command_line, "/g"});
}

TEST_CASE("an options file that cannot be read is passed over") {
  CHECK(named({{"-optf", "f", "-ccbin=/g"}}) == Named{By::command_line, "/g"});
  CHECK(named({{"-optf", "f"}}, TextMap{{"f", {"-ccbin /g \""}}}) == nobody);
}

TEST_CASE("the fifteenth nested options file is read and the sixteenth is not") {
  TextMap chain;
  for (int i = 1; i < 16; ++i)
    chain[std::to_string(i)] = {"-optf " + std::to_string(i + 1)};
  chain["16"] = {"-ccbin /g"};
  CHECK(named({{"-optf=1"}}, chain) == nobody);
  CHECK(named({{"-optf=2"}}, chain) == Named{By::options_file, "/g"});
}

TEST_CASE("options files that name each other over and over are read a bounded number of times") {
  OwnedCall call{{"-optf=f,f,f"}};
  MappedTexts texts(TextMap{{"f", {"-optf f,f,f"}}});
  CHECK(nvcc_command(call.call(), texts).ccbin.by == By::nobody);
  CHECK(texts.reads <= option_file_count);
}

TEST_CASE("flags that matter beside the name are told, wherever they are given") {
  OwnedCall call{{"-optf", "f"}, "-allow-unsupported-compiler", "--version"};
  MappedTexts texts(TextMap{{"f", {"-run"}}});
  const NvccCommand naming = nvcc_command(call.call(), texts);
  CHECK(naming.allow_unsupported);
  CHECK(naming.informational);
  CHECK(naming.runs);
  OwnedCall plain{{"-Xcompiler", "--version", "-Xcompiler=-run"}};
  const NvccCommand none = nvcc_command(plain.call(), texts);
  CHECK(!none.allow_unsupported);
  CHECK(!none.informational);
  CHECK(!none.runs);
}

TEST_CASE("what a call links is told, wherever it is given, and values are no inputs") {
  OwnedCall call{{"-optf", "f", "a.o", "-o", "b.o", "-Llib", "-L", "x,y", "-lm", "-Xlinker", "c.o"}};
  MappedTexts texts(TextMap{{"f", {"d.a -l e,f"}}});
  const NvccCommand naming = nvcc_command(call.call(), texts);
  CHECK(naming.links);
  std::vector<std::string_view> inputs;
  std::map<NvccMeaning, std::vector<std::string_view>> values;
  for (const NvccWord& word : naming.words)
    if (word.input)
      inputs.push_back(word.text);
    else
      values[word.meaning].push_back(word.value());
  CHECK(inputs == std::vector<std::string_view>{"d.a", "a.o"});
  CHECK(values[NvccMeaning::library] == std::vector<std::string_view>{"e,f", "m"});
  CHECK(values[NvccMeaning::library_directory] == std::vector<std::string_view>{"lib", "x,y"});
  for (const char* const phase :
       {"-c", "-dc", "--device-w", "-E", "-ptx", "-cubin", "-fatbin", "-lib", "-M"}) {
    OwnedCall stops{{"a.cu", phase}};
    CHECK_FALSE(nvcc_command(stops.call(), texts).links);
  }
  OwnedCall device{{"a.o", "-dlink", "-MD"}};
  CHECK(nvcc_command(device.call(), texts).links);
}
