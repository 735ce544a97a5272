// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The option table against the tools it describes: their help, and what they say to each spelling.
#include "real.hpp"
#include "toolchains/cmdline/nvcc_options.hpp"

#include <regex>
#include <set>
#include <sstream>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::e2e;
using cmdline::NvccOption;

namespace {

struct HelpLine {
  std::string spelling;
  std::string value;
  std::string alias;
};

// `--define-macro <def>,...      (-D)`; where there is no short spelling the long one stands there again.
std::vector<HelpLine> help_lines(const Toolkit& toolkit) {
  static const std::regex line("(--\\S+) +(\\S.*?)?\\s*(\\((-\\S+)\\)|--\\S+)\\s*");
  std::istringstream help(run({{toolkit.nvcc, "--help"}, "/"}).out);
  std::vector<HelpLine> lines;
  std::smatch part;
  for (std::string text; std::getline(help, text);)
    if (text.starts_with("--") && std::regex_match(text, part, line))
      lines.push_back({part[1], part[2], part[4]});
  return lines;
}

std::string answer(const Toolkit& toolkit, const std::vector<std::string>& arguments) {
  Program program{{toolkit.nvcc}, "/"};
  program.argv.insert(program.argv.end(), arguments.begin(), arguments.end());
  return run(program).err;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool knows(const Toolkit& toolkit, const std::string& spelling) {
  return !says(answer(toolkit, {spelling + "=hostpin"}), "Unknown option");
}

// What this release does with the spelling; list and one look alike from outside.
NvccOption::Arity arity(const Toolkit& toolkit, const std::string& spelling) {
  if (says(answer(toolkit, {spelling + "=hostpin"}), "no argument expected after"))
    return NvccOption::Arity::none;
  if (says(answer(toolkit, {spelling, "-ccbin"}), "argument expected after '-ccbin'"))
    return NvccOption::Arity::optional;
  return NvccOption::Arity::one;
}

bool have_options_of_all_releases() {
  return have_all_releases() && queried_toolkits().back().version == "13.5";
}

} // namespace

TEST_CASE("every option in nvcc --help is in the table, with its short spelling and its arity") {
  // Measured below; their help does not show that a value follows, or that it may be left out.
  const std::set<std::string> hidden_value = {"--dependency-output", "--qpp-config"};
  for (const Toolkit& toolkit : queried_toolkits()) {
    CAPTURE(toolkit.version);
    const auto lines = help_lines(toolkit);
    CHECK(lines.size() > 100);
    for (const HelpLine& line : lines) {
      CAPTURE(line.spelling);
      const NvccOption* option = cmdline::nvcc_argument(line.spelling).option;
      REQUIRE(option != nullptr);
      CHECK(option->help == NvccOption::Help::listed);
      const bool takes_value = !line.value.empty() || hidden_value.contains(line.spelling);
      CHECK((option->arity != NvccOption::Arity::none) == takes_value);
      CHECK((option->arity == NvccOption::Arity::list) == line.value.ends_with(",..."));
      if (!line.alias.empty()) {
        const NvccOption* alias = cmdline::nvcc_argument(line.alias).option;
        REQUIRE(alias != nullptr);
        CHECK(alias->arity == option->arity);
      }
    }
  }
}

TEST_CASE("every option in the table that is not marked hidden is in the help of some release") {
  if (!have_options_of_all_releases()) {
    MESSAGE("skipped: needs CUDA 11.2, 11.8, 12.4, 13.0 and the wheels of 13.5");
    return;
  }
  std::set<std::string> listed;
  for (const Toolkit& toolkit : queried_toolkits())
    for (const HelpLine& line : help_lines(toolkit))
      listed.insert(line.spelling);
  for (const NvccOption& option : cmdline::nvcc_options()) {
    CAPTURE(option.spelling);
    CHECK(listed.contains(std::string(option.spelling)) == (option.help == NvccOption::Help::listed));
  }
}

TEST_CASE("each spelling has the arity that nvcc gives it, in every release that knows it") {
  for (const NvccOption& option : cmdline::nvcc_options()) {
    const auto expected = option.arity == NvccOption::Arity::list ? NvccOption::Arity::one : option.arity;
    const std::string spelling(option.spelling);
    const std::string alias(option.alias);
    CAPTURE(spelling);
    bool known = false;
    for (const Toolkit& toolkit : queried_toolkits()) {
      CAPTURE(toolkit.version);
      if (!knows(toolkit, spelling))
        continue;
      known = true;
      CHECK(arity(toolkit, spelling) == expected);
      if (!alias.empty() && knows(toolkit, alias))
        CHECK(arity(toolkit, alias) == expected);
    }
    if (have_options_of_all_releases())
      CHECK(known);
  }
}

TEST_CASE("values attach to the spellings that the table says, and to no others of one letter") {
  for (const Toolkit& toolkit : queried_toolkits())
    for (const NvccOption& option : cmdline::nvcc_options()) {
      if (option.alias.size() != 2 || !knows(toolkit, std::string(option.alias)))
        continue;
      CAPTURE(toolkit.version);
      CAPTURE(option.alias);
      const bool attaches = !says(answer(toolkit, {std::string(option.alias) + "@@"}), "Unknown option");
      CHECK(attaches == (option.place == NvccOption::Place::attached));
    }
}

TEST_CASE("nvcc takes no abbreviation, no second dash and no dash too few") {
  for (const Toolkit& toolkit : queried_toolkits())
    for (const char* spelling :
         {"--ccbin", "-compiler-bindir", "--compiler-bindi", "-ccbi", "-ccbin/x", "--", "-options-file"}) {
      CAPTURE(toolkit.version);
      CAPTURE(spelling);
      CHECK(says(answer(toolkit, {spelling, "x"}), "Unknown option"));
      CHECK(cmdline::nvcc_argument(spelling).option == nullptr);
    }
}
