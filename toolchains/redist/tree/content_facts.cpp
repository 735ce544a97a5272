// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/content_facts.hpp"

#include "toolchains/table/toml.hpp"

#include <algorithm>
#include <fnmatch.h>
#include <utility>

namespace hostpin::redist {

namespace {

using Strings = std::vector<std::string>;

Strings required_list(TomlReader& row, std::string_view key) {
  row.require(key);
  return row.strings(key);
}

/// Each fact has a source, which only readers of the file need.
void require_source(TomlReader& row) {
  row.required("source");
}

NamedPatterns output_row(TomlReader& row) {
  NamedPatterns output{row.required("name"), required_list(row, "patterns")};
  require_source(row);
  return output;
}

/// An empty package is written as such; `string` refuses empty ones.
NamedPatterns opened_row(TomlReader& row) {
  NamedPatterns opened;
  row.require("package");
  if (const TomlMember* const package = row.member("package"); package != nullptr)
    opened.name = package->value.text;
  opened.patterns = required_list(row, "names");
  require_source(row);
  return opened;
}

NamedPatterns top_row(TomlReader& row) {
  NamedPatterns top{row.required("package"), {row.required("name")}};
  require_source(row);
  return top;
}

VersionMacros macros_row(TomlReader& row) {
  VersionMacros macros{row.required("package"), row.required("header"), required_list(row, "macros")};
  require_source(row);
  return macros;
}

/// A row with one list of strings.
auto list_row(std::string_view key) {
  return [key](TomlReader& row) {
    Strings list = required_list(row, key);
    require_source(row);
    return list;
  };
}

void append(Strings& to, const std::vector<Strings>& lists) {
  for (const Strings& list : lists)
    to.insert(to.end(), list.begin(), list.end());
}

std::optional<Error> read_list(TomlReader& document, std::string_view table, std::string_view key,
                               Strings& into) {
  std::vector<Strings> lists;
  auto error =
      read_rows(document, table, "a row has `" + std::string(key) + "`, `source`", lists, list_row(key));
  append(into, lists);
  return error;
}

struct Driver {
  Strings sonames, packages;
};

std::optional<Error> read_driver(TomlReader& document, ContentFacts& facts) {
  std::vector<Driver> rows;
  auto error =
      read_rows(document, "driver", "a row has `sonames`, `packages`, `source`", rows, [](TomlReader& row) {
        Driver driver{required_list(row, "sonames"), required_list(row, "packages")};
        require_source(row);
        return driver;
      });
  for (const Driver& row : rows) {
    append(facts.driver_sonames, {row.sonames});
    append(facts.driver_packages, {row.packages});
  }
  return error;
}

struct Foreign {
  Strings packages, patterns;
};

std::optional<Error> read_foreign(TomlReader& document, ContentFacts& facts) {
  std::vector<Foreign> rows;
  auto error =
      read_rows(document, "foreign", "a row has `packages`, `patterns`, `source`", rows, [](TomlReader& row) {
        Foreign foreign{required_list(row, "packages"), required_list(row, "patterns")};
        require_source(row);
        return foreign;
      });
  for (const Foreign& row : rows)
    for (const std::string& package : row.packages)
      facts.foreign.push_back({package, row.patterns});
  return error;
}

std::optional<Error> read_all(TomlReader& document, ContentFacts& facts) {
  auto error =
      read_rows(document, "output", "a row has `name`, `patterns`, `source`", facts.outputs, output_row);
  const auto then = [&error](std::optional<Error> next) {
    if (!error)
      error = std::move(next);
  };
  then(read_rows(document, "opened", "a row has `names`, `package`, `source`", facts.opened, opened_row));
  then(read_rows(document, "top-directory", "a row has `package`, `name`, `source`", facts.top_directories,
                 top_row));
  then(read_rows(document, "version-macros", "a row has `package`, `header`, `macros`, `source`",
                 facts.version_macros, macros_row));
  then(read_driver(document, facts));
  then(read_foreign(document, facts));
  then(read_list(document, "own-version", "names", facts.own_versions));
  then(read_list(document, "vendored", "names", facts.vendored));
  then(read_list(document, "host-path", "prefixes", facts.host_paths));
  then(read_list(document, "system-header", "patterns", facts.system_headers));
  return error;
}

} // namespace

Result<ContentFacts> load_content_facts(const Files& files, const std::string& directory) {
  const std::string path = directory + "/redist-content.toml";
  TRY_ASSIGN(const auto content, read_toml(files, path));
  ContentFacts facts;
  TomlReader document(path, content);
  auto error = read_all(document, facts);
  if (!error)
    error = document.finish("see the comments in the file for the rows that it has");
  if (error)
    return tl::unexpected(*std::move(error));
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
