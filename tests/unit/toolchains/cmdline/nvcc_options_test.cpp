// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/cmdline/nvcc_options.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace hostpin::cmdline;

namespace {

// spelling|value, spelling|> when the value comes next, spelling when there is none, ? for no known option.
std::string seen(std::string_view argument, std::string_view next = "next") {
  const NvccArgument read = nvcc_argument(argument);
  if (read.option == nullptr)
    return "?";
  std::string text(read.option->spelling);
  if (read.has_value)
    return text + "|" + std::string(read.value);
  return takes_next(read, next) ? text + "|>" : text;
}

} // namespace

TEST_CASE("an option is found under each of its spellings and under no other") {
  CHECK(seen("-ccbin") == "--compiler-bindir|>");
  CHECK(seen("--compiler-bindir") == "--compiler-bindir|>");
  CHECK(seen("--ccbin") == "?");
  CHECK(seen("-compiler-bindir") == "?");
  CHECK(seen("--compiler-bindi") == "?");
  CHECK(seen("-ccbi") == "?");
  CHECK(seen("-c") == "--compile");
  CHECK(seen("--") == "?");
  CHECK(seen("-") == "?");
  CHECK(seen("") == "?");
  CHECK(seen("a.cu") == "?");
  CHECK(seen("@file") == "?");
}

TEST_CASE("every row can be read back by its own spellings") {
  for (const NvccOption& option : nvcc_options()) {
    CHECK(nvcc_argument(option.spelling).option == &option);
    if (!option.alias.empty())
      CHECK(nvcc_argument(option.alias).option == &option);
  }
}

TEST_CASE("a value may stand behind an equals sign, whatever it holds") {
  CHECK(seen("-ccbin=/usr/bin/g++-12") == "--compiler-bindir|/usr/bin/g++-12");
  CHECK(seen("--compiler-bindir=/a=b") == "--compiler-bindir|/a=b");
  CHECK(seen("-ccbin=") == "--compiler-bindir|");
  CHECK(seen("-Xcompiler=-fPIC,-Wall") == "--compiler-options|-fPIC,-Wall");
  CHECK(seen("--std=c++17") == "--std|c++17");
}

TEST_CASE("seven letters take their value without a separator") {
  CHECK(seen("-I/usr/include") == "--include-path|/usr/include");
  CHECK(seen("-DNAME=\"a b\"") == "--define-macro|NAME=\"a b\"");
  CHECK(seen("-UNAME") == "--undefine-macro|NAME");
  CHECK(seen("-L.") == "--library-path|.");
  CHECK(seen("-lcudart") == "--library|cudart");
  CHECK(seen("-O3") == "--optimize|3");
  CHECK(seen("-t8") == "--threads|8");
  CHECK(seen("-ccbin/usr/bin/g++") == "?");
  CHECK(seen("-ofile") == "?");
  CHECK(seen("-std17") == "?");
}

TEST_CASE("a whole name outranks a letter with a value attached") {
  CHECK(seen("-lib") == "--lib");
  CHECK(seen("-link") == "--link");
  CHECK(seen("-lineinfo") == "--generate-line-info");
  CHECK(seen("-ldir") == "--libdevice-directory|>");
  CHECK(seen("-time") == "--time|>");
  CHECK(seen("-list-gpu-code") == "--library|ist-gpu-code");
}

TEST_CASE("a value is taken even when it looks like an option") {
  CHECK(seen("-Xcompiler", "-ccbin") == "--compiler-options|>");
  CHECK(seen("-o", "-c") == "--output-file|>");
}

TEST_CASE("an optional value is taken unless it starts with a dash") {
  CHECK(seen("-hls", "gen-lcs") == "--host-linker-script|>");
  CHECK(seen("-hls", "-ccbin") == "--host-linker-script");
  CHECK(seen("-Ofc", "-c") == "--Ofast-compile");
  CHECK(seen("-hls=use-lcs", "x") == "--host-linker-script|use-lcs");
}

TEST_CASE("what matters to the wrapper is marked in the table") {
  const auto meaning = [](std::string_view argument) { return nvcc_argument(argument).option->meaning; };
  CHECK(meaning("-ccbin") == NvccMeaning::host_compiler);
  CHECK(meaning("-optf") == NvccMeaning::options_file);
  CHECK(meaning("-allow-unsupported-compiler") == NvccMeaning::allow_unsupported);
  CHECK(meaning("-V") == NvccMeaning::informational);
  CHECK(meaning("-h") == NvccMeaning::informational);
  CHECK(meaning("-code-ls") == NvccMeaning::informational);
  CHECK(meaning("-arch-ls") == NvccMeaning::informational);
  CHECK(meaning("-run") == NvccMeaning::run);
  CHECK(meaning("-clean") == NvccMeaning::plain);
  for (const char* const option : {"-arch", "-code", "-gencode", "--gpu-architecture", "--gpu-code"})
    CHECK(names_gpus(meaning(option)));
  for (const char* const option : {"-arch-ls", "-ptx", "-dlto", "-target-dir"})
    CHECK_FALSE(names_gpus(meaning(option)));
  CHECK(meaning("-lto") == NvccMeaning::device_lto);
  CHECK(meaning("-optix-ir") == NvccMeaning::ptx_file);
  CHECK(meaning("-ltoir") == NvccMeaning::ltoir_file);
}
