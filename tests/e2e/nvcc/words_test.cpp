// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The three ways of cutting text into words, against nvcc: random texts, and which word it complains of.
#include "real.hpp"
#include "toolchains/cmdline/nvcc_command.hpp"
#include "toolchains/cmdline/tokens.hpp"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::e2e;

namespace {

using Words = std::vector<std::string>;

std::string random_text(unsigned seed, const Words& units, std::size_t longest) {
  std::mt19937 engine(seed);
  std::string text;
  for (std::size_t left = 1 + engine() % longest; left > 0; --left)
    text += units[engine() % units.size()];
  return text;
}

// No word of these is an option or a file. nvcc reads the options first and reports the first unknown one,
// else the last input. A stray quote in a variable is reported before nvcc knows its own name.
std::string complaint(const std::optional<Words>& words) {
  if (!words)
    return "fatal   : Stray '";
  for (const std::string& word : *words)
    if (word.size() > 1 && word.starts_with('-'))
      return "nvcc fatal   : Unknown option '" + word + "'";
  if (!words->empty())
    return "nvcc fatal   : Don't know what to do with '" + words->back() + "'";
  return "nvcc fatal   : No input files specified";
}

bool escapes_quotes(const Toolkit& toolkit) {
  return !toolkit.version.starts_with("11.");
}

const unsigned texts_each = turns(150);

} // namespace

TEST_CASE("options files are cut into words as nvcc cuts them") {
  using namespace std::string_literals;
  const Words units = {"y",  "z",   " ", "\t", "\n", "\r", "\"",  "\"",
                       "\\", " -y", "'", "\v", "#",  ",",  "\0"s, "z y"};
  const Scratch scratch;
  for (unsigned seed = 0; seed < texts_each; ++seed) {
    // The first word is used up, so that the complaint is about the words behind it.
    const std::string text = "-odir " + random_text(seed, units, 14);
    scratch.write("f", text);
    std::string storage;
    std::vector<std::string_view> views;
    std::optional<Words> words;
    if (cmdline::split_option_file(text, storage, views)) {
      if (views.size() < 2)
        continue;
      words.emplace(views.begin() + 2, views.end());
    }
    for (const Toolkit& toolkit : toolkits()) {
      CAPTURE(toolkit.version);
      CAPTURE(text);
      const std::string err = run({{toolkit.nvcc, "-optf", "f"}, scratch.path()}).err;
      CAPTURE(err);
      REQUIRE(err.find(complaint(words)) != std::string::npos);
    }
  }
}

TEST_CASE("flags variables are cut into words as nvcc cuts them") {
  const Words units = {"y",    "z",   " ", "\t", "\n", "\"", "\"", "\\",
                       "\\\"", " -y", "'", "\v", "#",  ",",  "z y"};
  for (const Toolkit& toolkit : toolkits()) {
    for (unsigned seed = 0; seed < texts_each; ++seed) {
      const std::string text = "-odir " + random_text(seed, units, 14);
      std::vector<std::string_view> views;
      std::optional<Words> words;
      if (cmdline::split_flags(text, escapes_quotes(toolkit), views)) {
        if (views.size() < 2)
          continue;
        words.emplace(views.begin() + 2, views.end());
      }
      Program program{{toolkit.nvcc}, "/"};
      program.environment[seed % 2 == 0 ? "NVCC_PREPEND_FLAGS" : "NVCC_APPEND_FLAGS"] = text;
      CAPTURE(toolkit.version);
      CAPTURE(text);
      REQUIRE(run(program).err.find(complaint(words)) != std::string::npos);
    }
  }
}

TEST_CASE("the list of an option is cut at its commas as nvcc cuts it") {
  const Words units = {"y", "z", " ", "\t", "\n", "\"", "\"", "\\", "\\\"", "'", ",", ",", "z y"};
  const Scratch scratch;
  scratch.write("first", "");
  for (const Toolkit& toolkit : toolkits())
    for (unsigned seed = 0; seed < texts_each; ++seed) {
      const std::string text = "first," + random_text(seed, units, 10);
      const auto list = cmdline::split_list(text, escapes_quotes(toolkit));
      // Files before a stray quote are opened before nvcc comes to that.
      std::string expected = "nvcc fatal   : ";
      if (list)
        expected = list->size() == 1 ? "nvcc fatal   : No input files specified"
                                     : "nvcc fatal   : Could not open options file '" + list->at(1) + "'";
      CAPTURE(toolkit.version);
      CAPTURE(text);
      const std::string err = run({{toolkit.nvcc, "-optf", text}, scratch.path()}).err;
      REQUIRE(err.substr(0, expected.size()) == expected);
      if (!list)
        REQUIRE(err.find("No input files") == std::string::npos);
    }
}

TEST_CASE("fifteen options files may be open at once") {
  const Scratch scratch;
  for (std::size_t i = 1; i <= cmdline::option_file_depth; ++i)
    scratch.write(std::to_string(i), "-optf " + std::to_string(i + 1));
  scratch.write(std::to_string(cmdline::option_file_depth + 1), "");
  for (const Toolkit& toolkit : toolkits()) {
    CAPTURE(toolkit.version);
    CHECK(run({{toolkit.nvcc, "-optf=1"}, scratch.path()}).err.find("Too many options file") !=
          std::string::npos);
    CHECK(run({{toolkit.nvcc, "-optf=2"}, scratch.path()}).err.find("No input files") != std::string::npos);
  }
}
