// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/content_facts.hpp"

#include "toolchains/document/reader.hpp"

#include <algorithm>
#include <fnmatch.h>
#include <utility>

namespace hostpin::redist {

namespace {

using Strings = std::vector<std::string>;

// Each fact has a source, which only readers of the file need.

NamedPatterns output_row(document::Reader& row) {
  NamedPatterns output{row.required("name"), row.required_strings("patterns")};
  row.required("source");
  return output;
}

/// An empty package is written as such; `string` refuses empty ones.
NamedPatterns opened_row(document::Reader& row) {
  NamedPatterns opened;
  row.require("package");
  if (const document::Member* const package = row.member("package");
      package != nullptr && package->value.kind == document::Value::Kind::string)
    opened.name = package->value.text;
  opened.patterns = row.required_strings("names");
  row.required("source");
  return opened;
}

NamedPatterns top_row(document::Reader& row) {
  NamedPatterns top{row.required("package"), {row.required("name")}};
  row.required("source");
  return top;
}

VersionMacros macros_row(document::Reader& row) {
  VersionMacros macros{row.required("package"), row.required("header"), row.required_strings("macros")};
  row.required("source");
  return macros;
}

/// A row with one list of strings.
auto list_row(std::string_view key) {
  return [key](document::Reader& row) {
    Strings list = row.required_strings(key);
    row.required("source");
    return list;
  };
}

void append(Strings& to, const std::vector<Strings>& lists) {
  for (const Strings& list : lists)
    to.insert(to.end(), list.begin(), list.end());
}

void read_list(document::Reader& document, std::string_view table, std::string_view key, Strings& into) {
  std::vector<Strings> lists;
  document.rows(table, "a row has `" + std::string(key) + "`, `source`", lists, list_row(key));
  append(into, lists);
}

struct Driver {
  Strings sonames, packages;
};

void read_driver(document::Reader& document, ContentFacts& facts) {
  std::vector<Driver> rows;
  document.rows("driver", "a row has `sonames`, `packages`, `source`", rows, [](document::Reader& row) {
    Driver driver{row.required_strings("sonames"), row.required_strings("packages")};
    row.required("source");
    return driver;
  });
  for (const Driver& row : rows) {
    append(facts.driver_sonames, {row.sonames});
    append(facts.driver_packages, {row.packages});
  }
}

struct Foreign {
  Strings packages, patterns;
};

void read_foreign(document::Reader& document, ContentFacts& facts) {
  std::vector<Foreign> rows;
  document.rows("foreign", "a row has `packages`, `patterns`, `source`", rows, [](document::Reader& row) {
    Foreign foreign{row.required_strings("packages"), row.required_strings("patterns")};
    row.required("source");
    return foreign;
  });
  for (const Foreign& row : rows)
    for (const std::string& package : row.packages)
      facts.foreign.push_back({package, row.patterns});
}

void read_all(document::Reader& document, ContentFacts& facts) {
  document.rows("output", "a row has `name`, `patterns`, `source`", facts.outputs, output_row);
  document.rows("opened", "a row has `names`, `package`, `source`", facts.opened, opened_row);
  document.rows("top-directory", "a row has `package`, `name`, `source`", facts.top_directories, top_row);
  document.rows("version-macros", "a row has `package`, `header`, `macros`, `source`", facts.version_macros,
                macros_row);
  read_driver(document, facts);
  read_foreign(document, facts);
  read_list(document, "own-version", "names", facts.own_versions);
  read_list(document, "vendored", "names", facts.vendored);
  read_list(document, "host-path", "prefixes", facts.host_paths);
  read_list(document, "system-header", "patterns", facts.system_headers);
}

} // namespace

Result<ContentFacts> load_content_facts(const Files& files, const std::string& directory) {
  ContentFacts facts;
  TRY(document::read_tables(files, directory + "/redist-content.toml",
                            "see the comments in the file for the rows that it has",
                            [&](document::Reader& document) { read_all(document, facts); }));
  return facts;
}

std::string output_of(const ContentFacts& facts, const std::string& path) {
  const auto found = std::ranges::find_if(
      facts.outputs, [&](const NamedPatterns& output) { return matches_any(output.patterns, path); });
  return found == facts.outputs.end() ? "out" : found->name;
}

bool matches(const std::string& pattern, const std::string& text) {
  return ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

bool matches_any(const std::vector<std::string>& patterns, const std::string& text) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) { return matches(pattern, text); });
}

std::optional<std::string> opened_package(const ContentFacts& facts, const std::string& name) {
  const auto found = std::ranges::find_if(
      facts.opened, [&](const NamedPatterns& family) { return matches_any(family.patterns, name); });
  return found == facts.opened.end() ? std::nullopt : std::optional(found->name);
}

} // namespace hostpin::redist
