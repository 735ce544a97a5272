// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/table/table.hpp"

#include "toolchains/document/reader.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

namespace hostpin {

namespace {

/// As an upper bound: `12.9` includes 12.9.86, and `12` includes 12.9.
Version last_of(Version version, const std::string& text) {
  constexpr int largest_part = 999999;
  const auto dots = std::count(text.begin(), text.end(), '.');
  if (dots < 2)
    version.patch = largest_part;
  if (dots < 1)
    version.minor = largest_part;
  return version;
}

std::optional<Version> version(document::Reader& row, const std::string& key) {
  const auto text = row.string(key);
  if (!text)
    return std::nullopt;
  const auto parsed = parse_version(*text);
  if (!parsed)
    row.refuse(key, document::quoted(key) + " is " + document::quoted(*text) +
                        ", not a version such as \"12.4\" or \"12.4.131\"");
  return parsed;
}

struct VersionBounds {
  std::optional<Version> min, max;
};

/// `<name>-min` and `<name>-max`.
VersionBounds bounds(document::Reader& row, const std::string& name) {
  VersionBounds result{version(row, name + "-min"), version(row, name + "-max")};
  if (result.max)
    result.max = last_of(*result.max, *row.string(name + "-max"));
  if (result.min && result.max && *result.min > *result.max)
    row.refuse(name + "-min",
               document::quoted(name + "-min") + " is above " + document::quoted(name + "-max"));
  return result;
}

constexpr const char* row_hint = "toolchains/README.md lists the keys of a row";

void take_range(document::Reader& row, std::string_view key, int& min, int& max) {
  row.require(key);
  if (const auto majors = row.range(key))
    std::tie(min, max) = *majors;
}

Version required_version(document::Reader& row, const std::string& key) {
  row.require(key);
  return version(row, key).value_or(Version{});
}

DocumentedRange documented_range(document::Reader& row, const std::vector<DocumentedRange>& before) {
  DocumentedRange range;
  range.since = required_version(row, "since");
  if (!before.empty() && range.since <= before.back().since)
    row.refuse("since", "the row " + to_string(range.since) + " does not come after " +
                            to_string(before.back().since) + ": rows ascend without duplicates");
  take_range(row, "gcc", range.gcc_min, range.gcc_max);
  take_range(row, "clang", range.clang_min, range.clang_max);
  range.source = row.required("source");
  range.note = row.string("note").value_or("");
  return range;
}

template <typename Row>
std::string fresh_name(document::Reader& row, const std::vector<Row>& before) {
  std::string name = row.required("name");
  if (std::any_of(before.begin(), before.end(), [&](const Row& other) { return other.name == name; }))
    row.refuse("name", "there is already a row named " + document::quoted(name));
  return name;
}

void take_effect(document::Reader& row, Exception& exception) {
  const std::string effect = row.required("effect");
  if (effect != "broken" && effect != "avoid" && effect != "note")
    row.refuse("effect", "`effect` must be \"broken\", \"avoid\" or \"note\"");
  exception.wants_warning_only = effect != "broken";
  exception.wants_another = effect == "avoid";
}

std::optional<Family> family(document::Reader& row) {
  const auto name = row.string("family");
  if (!name)
    return std::nullopt;
  if (*name != "gcc" && *name != "clang")
    row.refuse("family", "`family` must be \"gcc\" or \"clang\"");
  return *name == "gcc" ? Family::gcc : Family::clang;
}

Exception exception_row(document::Reader& row, const std::vector<Exception>& before) {
  Exception exception;
  exception.name = fresh_name(row, before);
  const VersionBounds toolkit = bounds(row, "toolkit");
  const VersionBounds compiler = bounds(row, "compiler");
  const VersionBounds glibc = bounds(row, "glibc");
  const VersionBounds library = bounds(row, "library");
  exception.toolkit_min = toolkit.min, exception.toolkit_max = toolkit.max;
  exception.compiler_min = compiler.min, exception.compiler_max = compiler.max;
  exception.glibc_min = glibc.min, exception.glibc_max = glibc.max;
  exception.library_min = library.min, exception.library_max = library.max;
  exception.family = family(row);
  exception.library = row.string("library").value_or("");
  exception.target = row.string("target").value_or("");
  take_effect(row, exception);
  exception.reason = row.required("reason");
  exception.source = row.required("source");
  if ((compiler.min || compiler.max) && !exception.family)
    row.refuse("name", "a compiler version needs `family`");
  if ((library.min || library.max) && exception.library != "libc++")
    row.refuse("name", "a library version needs `library = \"libc++\"`");
  return exception;
}

Feature feature_row(document::Reader& row, const std::vector<Feature>& before) {
  Feature feature;
  feature.name = fresh_name(row, before);
  feature.since = required_version(row, "since");
  feature.source = row.required("source");
  return feature;
}

NewestGlibc glibc_row(document::Reader& row, const std::vector<NewestGlibc>& before) {
  NewestGlibc newest{required_version(row, "since"), required_version(row, "newest"), row.required("source")};
  if (!before.empty() && newest.since <= before.back().since)
    row.refuse("since", "the row " + to_string(newest.since) + " does not come after " +
                            to_string(before.back().since) + ": rows ascend without duplicates");
  return newest;
}

void check_placeholder(document::Reader& row, std::string_view key, const std::string& text,
                       const std::string& wanted) {
  if (!text.empty() && text.find(wanted) == std::string::npos)
    row.refuse(key, document::quoted(key) + " must contain " + wanted);
}

PackageName package_row(document::Reader& row, const std::vector<PackageName>& before) {
  PackageName package;
  row.require("ids");
  package.distributions = row.strings("ids");
  for (const std::string& id : package.distributions)
    for (const PackageName& other : before)
      if (std::count(other.distributions.begin(), other.distributions.end(), id) != 0)
        row.refuse("ids", document::quoted(id) + " is already in an earlier row");
  package.gcc = row.string("gcc").value_or("");
  package.clang = row.string("clang").value_or("");
  package.cross_gcc = row.string("cross-gcc").value_or("");
  package.command = row.required("command");
  package.known = row.strings("known");
  package.suites = row.strings("suites");
  package.client = row.string("client").value_or("");
  package.main_gcc = row.string("main-gcc").value_or("");
  package.main_clang = row.string("main-clang").value_or("");
  package.keys = row.strings("keys");
  check_placeholder(row, "gcc", package.gcc, "{major}");
  check_placeholder(row, "clang", package.clang, "{major}");
  check_placeholder(row, "cross-gcc", package.cross_gcc, "{target}");
  check_placeholder(row, "command", package.command, "{package}");
  return package;
}

// Each parses one data file, adds its rows to the table, and returns what is wrong with the file, if
// anything.

Result<void> take_ranges(document::Reader& document, Table& table) {
  document.require("release");
  document.rows("release", row_hint, table.ranges,
                [&](document::Reader& row) { return documented_range(row, table.ranges); });
  document.rows("feature", row_hint, table.features,
                [&](document::Reader& row) { return feature_row(row, table.features); });
  document.rows("glibc", row_hint, table.newest_glibcs,
                [&](document::Reader& row) { return glibc_row(row, table.newest_glibcs); });
  return document.finish("cuda.toml has [[release]], [[feature]] and [[glibc]] rows only");
}

Result<void> take_exceptions(document::Reader& document, Table& table) {
  document.rows("exception", row_hint, table.exceptions,
                [&](document::Reader& row) { return exception_row(row, table.exceptions); });
  return document.finish("exceptions.toml has [[exception]] rows only");
}

Result<void> take_packages(document::Reader& document, Table& table) {
  document.rows("distribution", row_hint, table.packages,
                [&](document::Reader& row) { return package_row(row, table.packages); });
  return document.finish("packages.toml has [[distribution]] rows only");
}

} // namespace

const DocumentedRange* Table::documented(const Version& toolkit) const {
  const auto next = std::upper_bound(
      ranges.begin(), ranges.end(), toolkit,
      [](const Version& version, const DocumentedRange& row) { return version < row.since; });
  if (next == ranges.begin())
    return nullptr;
  // A CUDA release newer than the table may accept other compilers; patch releases accept the same ones.
  const Version& last = ranges.back().since;
  if (std::tie(toolkit.major, toolkit.minor) > std::tie(last.major, last.minor))
    return nullptr;
  return &*std::prev(next);
}

const NewestGlibc* Table::newest_glibc(const Version& toolkit) const {
  const NewestGlibc* found = nullptr;
  if (documented(toolkit) != nullptr)
    for (const NewestGlibc& row : newest_glibcs)
      if (row.since <= toolkit)
        found = &row;
  return found;
}

bool Table::has_feature(std::string_view name, const Version& toolkit) const {
  return std::any_of(features.begin(), features.end(), [&](const Feature& feature) {
    return feature.name == name && feature.since <= toolkit;
  });
}

Result<Table> load_table(const Files& files, const std::string& directory) {
  struct Part {
    const char* name;
    Result<void> (*take)(document::Reader&, Table&);
  };
  constexpr auto parts = std::to_array<Part>(
      {{"cuda.toml", take_ranges}, {"exceptions.toml", take_exceptions}, {"packages.toml", take_packages}});
  Table table;
  for (const Part& part : parts) {
    table.files.push_back(directory + '/' + part.name);
    TRY_ASSIGN(const auto document, document::read_toml(files, table.files.back()));
    document::Reader reader(table.files.back(), document);
    TRY(part.take(reader, table));
  }
  TRY_ASSIGN(table.platforms, load_platforms(files, directory));
  table.files.push_back(directory + "/platforms.toml");
  return table;
}

} // namespace hostpin
