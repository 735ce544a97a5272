// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/shipped_data.hpp"
#include "tests/unit/toolchains/table/files_map.hpp"
#include "toolchains/table/symbol_versions.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

std::vector<SymbolRelease> shipped() {
  const auto releases = load_symbol_releases(DiskFiles(), hostpin::test::shipped_data());
  if (!releases)
    FAIL(releases.error().message);
  return releases.value_or(std::vector<SymbolRelease>{});
}

std::string complaint(const std::string& content) {
  const auto releases = load_symbol_releases(FilesMap({{"/d/libstdcxx.toml", content}}), "/d");
  return releases ? "" : releases.error().message;
}

} // namespace

TEST_CASE("a symbol version of libstdc++ leads to the release that introduced it") {
  struct Row {
    const char* version;
    const char* gcc;
  };
  const Row rows[] = {
      {"GLIBCXX_3.4", "3.4"},      {"CXXABI_1.3", "3.4"},      {"GLIBCXX_3.4.9", "4.2"},
      {"GLIBCXX_3.4.19", "4.8.3"}, {"GLIBCXX_3.4.21", "5.1"},  {"CXXABI_1.3.8", "4.9"},
      {"GLIBCXX_3.4.26", "9.1"},   {"GLIBCXX_3.4.28", "9.3"},  {"GLIBCXX_3.4.29", "11.1"},
      {"GLIBCXX_3.4.30", "12.1"},  {"GLIBCXX_3.4.31", "13.1"}, {"GLIBCXX_3.4.32", "13.2"},
      {"CXXABI_1.3.14", "13.1"},   {"GLIBCXX_3.4.33", "14.1"}, {"CXXABI_1.3.15", "14.1"},
      {"GLIBCXX_3.4.34", "15.1"},  {"GLIBCXX_3.4.35", "16.1"}, {"CXXABI_1.3.17", "16.1"},
      {"GLIBCXX_3.4.36", "16.2"},
  };
  const std::vector<SymbolRelease> releases = shipped();
  for (const Row& row : rows) {
    CAPTURE(row.version);
    CHECK(introduced_by(releases, row.version) == row.gcc);
  }
}

TEST_CASE("an unknown version has no release") {
  const std::vector<SymbolRelease> releases = shipped();
  for (const char* const name : {"GLIBCXX_3.4.99", "GLIBCXX_3.4.3x", "GLIBC_2.34", "", "GLIBCXX_"})
    CHECK(introduced_by(releases, name) == std::nullopt);
}

TEST_CASE("the table has every GLIBCXX version up to its highest, and a source for each row") {
  const std::vector<SymbolRelease> releases = shipped();
  for (const SymbolRelease& release : releases)
    CHECK_FALSE(release.source.empty());
  for (int i = 1; i <= 36; ++i)
    CHECK(introduced_by(releases, "GLIBCXX_3.4." + std::to_string(i)));
  for (int i = 1; i <= 17; ++i)
    CHECK(introduced_by(releases, "CXXABI_1.3." + std::to_string(i)));
}

TEST_CASE("a mistake in libstdcxx.toml is refused with its position") {
  const std::string good = "[[release]]\ngcc = \"4.2\"\nversions = [\"GLIBCXX_3.4.9\"]\nsource = \"s\"\n";
  CHECK(complaint(good).empty());
  const auto row = [](const std::string& gcc, const std::string& versions) {
    return "[[release]]\ngcc = \"" + gcc + "\"\nversions = [" + versions + "]\nsource = \"s\"\n";
  };
  struct Row {
    std::string content, error;
  };
  const Row rows[] = {
      {"", "/d/libstdcxx.toml:1:1: the key `release` is missing"},
      {"x = 1\n" + good, "/d/libstdcxx.toml:1:1"},
      {good + row("4.1", "\"GLIBCXX_3.4.8\""), "the row 4.1 does not come after 4.2"},
      {good + good, "the row 4.2 does not come after 4.2"},
      {good + row("4.3", "\"GLIBCXX_3.4.9\""), "`GLIBCXX_3.4.9` is listed twice"},
      {row("4.3", "\"CXXABI_1.3\", \"CXXABI_1.3\""), "`CXXABI_1.3` is listed twice"},
      {row("4.3", "\"GLIBC_2.9\""), "`GLIBC_2.9` is not a symbol version of libstdc++"},
      {row("four", "\"CXXABI_1.3\""), "not a release"},
      {row("4.3", "7"), "/d/libstdcxx.toml:3:"},
      {"[[release]]\ngcc = \"4.2\"\nversions = [\"CXXABI_1.3\"]\n", "the key `source` is missing"},
      {"[[release]]\ngcc = \"4.2\"\nsource = \"s\"\n", "the key `versions` is missing"},
  };
  for (const Row& bad : rows) {
    CAPTURE(bad.content);
    CHECK(complaint(bad.content).find(bad.error) != std::string::npos);
  }
}
