// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/table/files_map.hpp"
#include "toolchains/table/table.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

constexpr const char* one_release =
    "[[release]]\nsince = \"12.4\"\ngcc = [6, 13]\nclang = [7, 17]\nsource = \"s\"\n";
constexpr const char* one_exception =
    "[[exception]]\nname = \"n\"\neffect = \"broken\"\nreason = \"r\"\nsource = \"s\"\n";
constexpr const char* one_package =
    "[[distribution]]\nids = [\"a\"]\ngcc = \"g{major}\"\ncommand = \"i {package}\"\n";

Result<Table> load(std::string cuda, std::string exceptions = "", std::string packages = "") {
  return load_table(FilesMap({{"/d/cuda.toml", std::move(cuda)},
                              {"/d/exceptions.toml", std::move(exceptions)},
                              {"/d/packages.toml", std::move(packages)},
                              {"/d/platforms.toml", ""}}),
                    "/d");
}

std::string complaint(const Result<Table>& table) {
  return table ? "" : table.error().message;
}

} // namespace

TEST_CASE("a table names the files it was read from") {
  const auto table = load(one_release, one_exception, one_package);
  REQUIRE(table.has_value());
  CHECK(table->files == std::vector<std::string>{"/d/cuda.toml", "/d/exceptions.toml", "/d/packages.toml",
                                                 "/d/platforms.toml"});
  CHECK(table->ranges.size() == 1);
  CHECK(table->exceptions.size() == 1);
  CHECK(table->packages.size() == 1);
}

TEST_CASE("a missing data file is an error that names it") {
  const auto table =
      load_table(FilesMap(std::map<std::string, std::string>{{"/d/cuda.toml", one_release}}), "/d");
  REQUIRE_FALSE(table.has_value());
  CHECK(table.error().message.find("/d/exceptions.toml") != std::string::npos);
}

TEST_CASE("a row applies from its version until the next, and the last to its release only") {
  Table table;
  for (const Version& since :
       {Version{11, 4, 0}, Version{11, 4, 100}, Version{12, 6, 0}, Version{12, 8, 0}}) {
    table.ranges.emplace_back();
    table.ranges.back().since = since;
  }
  struct Row {
    Version toolkit;
    std::optional<Version> row;
  };
  const Row rows[] = {{{11, 3, 109}, std::nullopt},       {{11, 4, 0}, Version{11, 4, 0}},
                      {{11, 4, 48}, Version{11, 4, 0}},   {{11, 4, 100}, Version{11, 4, 100}},
                      {{11, 8, 89}, Version{11, 4, 100}}, {{12, 7, 0}, Version{12, 6, 0}},
                      {{12, 8, 93}, Version{12, 8, 0}},   {{12, 9, 0}, std::nullopt},
                      {{13, 0, 0}, std::nullopt}};
  for (const Row& row : rows) {
    CAPTURE(to_string(row.toolkit));
    const DocumentedRange* const found = table.documented(row.toolkit);
    CHECK((found != nullptr) == row.row.has_value());
    if (found != nullptr && row.row)
      CHECK(found->since == *row.row);
  }
  CHECK(Table().documented({12, 4, 0}) == nullptr);
}

TEST_CASE("the newest C library of a toolkit is that of the last row before it") {
  const auto table =
      load(std::string(one_release) + "[[glibc]]\nsince = \"10.0\"\nnewest = \"2.40\"\nsource = \"s\"\n"
                                      "[[glibc]]\nsince = \"12.4.100\"\nnewest = \"2.41\"\nsource = \"s\"\n");
  REQUIRE(table);
  CHECK(table->newest_glibc({12, 4, 99})->glibc == Version{2, 40, 0});
  CHECK(table->newest_glibc({12, 4, 131})->glibc == Version{2, 41, 0});
  CHECK(table->newest_glibc({9, 0, 0}) == nullptr);
  CHECK(table->newest_glibc({99, 0, 0}) == nullptr);
}

TEST_CASE("a feature exists from its release on") {
  const auto table =
      load(std::string(one_release) + "[[feature]]\nname = \"f\"\nsince = \"12.5\"\nsource = \"s\"\n");
  REQUIRE(table.has_value());
  CHECK_FALSE(table->has_feature("f", {12, 4, 131}));
  CHECK(table->has_feature("f", {12, 5, 0}));
  CHECK(table->has_feature("f", {13, 0, 88}));
  CHECK_FALSE(table->has_feature("g", {13, 0, 88}));
}

TEST_CASE("a maximum without a patch level includes all of its release") {
  const auto table =
      load(one_release, std::string(one_exception) + "toolkit-min = \"11.4\"\ntoolkit-max = \"12.9\"\n"
                                                     "family = \"gcc\"\ncompiler-min = \"13.3\"\n"
                                                     "compiler-max = \"13\"\nglibc-max = \"2.35.1\"\n"
                                                     "library = \"libc++\"\nlibrary-max = \"21\"\n");
  REQUIRE(table.has_value());
  const Exception& row = table->exceptions.at(0);
  CHECK(row.toolkit_min == Version{11, 4, 0});
  CHECK(row.toolkit_max == Version{12, 9, 999999});
  CHECK(row.compiler_min == Version{13, 3, 0});
  CHECK(row.compiler_max == Version{13, 999999, 999999});
  CHECK(row.glibc_max == Version{2, 35, 1});
  CHECK_FALSE(row.glibc_min.has_value());
  CHECK(row.library_max == Version{21, 999999, 999999});
  CHECK_FALSE(row.library_min.has_value());
}

TEST_CASE("an effect makes a row break, advise against, or only note") {
  struct Row {
    const char* effect;
    bool warning, another;
  };
  for (const Row& row : {Row{"broken", false, false}, Row{"avoid", true, true}, Row{"note", true, false}}) {
    CAPTURE(row.effect);
    const auto table =
        load(one_release, "[[exception]]\nname = \"n\"\nreason = \"r\"\nsource = \"s\"\neffect = \"" +
                              std::string(row.effect) + "\"\n");
    REQUIRE(table.has_value());
    CHECK(table->exceptions.at(0).wants_warning_only == row.warning);
    CHECK(table->exceptions.at(0).wants_another == row.another);
  }
}

TEST_CASE("a mistake in cuda.toml is refused with its position") {
  struct Row {
    std::string text;
    const char* complaint;
  };
  const std::string release = one_release;
  const Row rows[] = {
      {"", "/d/cuda.toml:1:1: the key `release` is missing"},
      {release + release, "/d/cuda.toml:7:9: the row 12.4 does not come after 12.4"},
      {release + "[[release]]\nsince = \"12.3\"\n",
       "/d/cuda.toml:7:9: the row 12.3 does not come after 12.4"},
      {release + "extra = 1\n", "/d/cuda.toml:6:1: unknown key `extra`"},
      {release + "[[releases]]\n", "/d/cuda.toml:6:3: unknown key `releases`"},
      {"[[release]]\nsince = 12.4\n", "/d/cuda.toml:2:9: `since` must be a string"},
      {"[[release]]\nsince = \"12.x\"\n", "/d/cuda.toml:2:9: `since` is `12.x`, not a version"},
      {"[[release]]\nsince = \"1\"\ngcc = [13, 6]\n", "/d/cuda.toml:3:7: `gcc` starts above its end"},
      {"[[release]]\nsince = \"1\"\ngcc = [6, 13]\n", "/d/cuda.toml:1:1: the key `clang` is missing"},
      {"[[release]]\nsince = \"1\"\ngcc = [6, 13]\nclang = [7, 17]\n",
       "/d/cuda.toml:1:1: the key `source` is missing"},
      {"release = 1\n", "/d/cuda.toml:1:11: `release` must be tables"},
      {release + "[[feature]]\nname = \"f\"\nsince = \"1\"\nsource = \"s\"\n[[feature]]\nname = \"f\"\n",
       "/d/cuda.toml:11:8: there is already a row named `f`"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(complaint(load(row.text)).rfind(row.complaint, 0) == 0);
  }
}

TEST_CASE("a mistake in exceptions.toml is refused with its position") {
  struct Row {
    std::string text;
    const char* complaint;
  };
  const std::string exception = one_exception;
  const Row rows[] = {
      {exception + exception, "/d/exceptions.toml:7:8: there is already a row named `n`"},
      {exception + "toolkit-min = \"13\"\ntoolkit-max = \"12.9\"\n",
       "/d/exceptions.toml:6:15: `toolkit-min` is above `toolkit-max`"},
      {exception + "glibc-min = 2.41\n", "/d/exceptions.toml:6:13: `glibc-min` must be a string"},
      {exception + "family = \"icx\"\n", "/d/exceptions.toml:6:10: `family` must be \"gcc\" or \"clang\""},
      {exception + "compiler-min = \"13\"\n", "/d/exceptions.toml:2:8: a compiler version needs `family`"},
      {exception + "library-max = \"21\"\n",
       "/d/exceptions.toml:2:8: a library version needs `library = \"libc++\"`"},
      {"[[exception]]\nname = \"n\"\neffect = \"bad\"\n", "/d/exceptions.toml:3:10: `effect` must be"},
      {"[[exception]]\nname = \"n\"\neffect = \"note\"\nsource = \"s\"\n",
       "/d/exceptions.toml:1:1: the key `reason` is missing"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(complaint(load(one_release, row.text)).rfind(row.complaint, 0) == 0);
  }
}

TEST_CASE("a mistake in packages.toml is refused with its position") {
  struct Row {
    std::string text;
    const char* complaint;
  };
  const std::string package = one_package;
  const Row rows[] = {
      {package + package, "/d/packages.toml:6:7: `a` is already in an earlier row"},
      {"[[distribution]]\nids = [\"a\"]\ngcc = \"g++\"\ncommand = \"i {package}\"\n",
       "/d/packages.toml:3:7: `gcc` must contain {major}"},
      {"[[distribution]]\nids = [\"a\"]\ncommand = \"install\"\n",
       "/d/packages.toml:3:11: `command` must contain {package}"},
      {"[[distribution]]\ncommand = \"i {package}\"\n", "/d/packages.toml:1:1: the key `ids` is missing"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(complaint(load(one_release, "", row.text)).rfind(row.complaint, 0) == 0);
  }
}
