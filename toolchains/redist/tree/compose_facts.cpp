// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/compose_facts.hpp"

#include "toolchains/document/reader.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace hostpin::redist {

namespace {

LayoutRow layout_row(document::Reader& row) {
  LayoutRow one{row.required("from"), row.required("to"), row.strings("packages")};
  row.required("source");
  return one;
}

RunLibraries run_row(document::Reader& row) {
  RunLibraries one{row.required("by"), row.strings("names")};
  row.required("source");
  if (one.names.empty())
    row.refuse("names", "a row has at least one name");
  return one;
}

HeaderRow header_row_of(document::Reader& row) {
  HeaderRow one{row.required("name"), row.strings("packages")};
  row.required("source");
  if (one.packages.empty())
    row.refuse("packages", "a row names at least one package");
  return one;
}

CmakeTarget cmake_row(document::Reader& row) {
  CmakeTarget one{row.required("target"), {}, row.string("alias").value_or("")};
  row.required("source");
  if (const auto since = row.string("since"); since && !(one.since = parse_version(*since)))
    row.refuse("since", document::quoted(*since) + " is not a version");
  return one;
}

void read_rows_of(document::Reader& document, ComposeFacts& facts) {
  document.rows("layout", "a row has `from`, `to`, `packages`, `source`", facts.layout, layout_row);
  document.rows("run-libraries", "a row has `by`, `names`, `source`", facts.run_libraries, run_row);
  document.rows("header", "a row has `name`, `packages`, `source`", facts.headers, header_row_of);
  document.rows("cmake-target", "a row has `target`, `since`, `alias`, `source`", facts.cmake_targets,
                cmake_row);
}

} // namespace

std::string_view library_stem(std::string_view name) {
  for (std::size_t at = name.find(".so"); at != std::string_view::npos; at = name.find(".so", at + 1))
    if (at + 3 == name.size() || name[at + 3] == '.')
      return name.substr(0, at);
  return name;
}

std::string_view library_version(std::string_view name) {
  const std::string_view rest = name.substr(library_stem(name).size());
  return rest.starts_with(".so.") ? rest.substr(4) : std::string_view();
}

bool fits_pattern(std::string_view pattern, std::string_view text) {
  return pattern.ends_with('*') ? text.starts_with(pattern.substr(0, pattern.size() - 1)) : pattern == text;
}

std::string_view ComposeFacts::provider(std::string_view soname) const {
  for (const RunLibraries& row : run_libraries)
    if (std::ranges::any_of(row.names, [&](const std::string& name) { return fits_pattern(name, soname); }))
      return row.by;
  return {};
}

const HeaderRow* ComposeFacts::header_row(std::string_view name) const {
  const auto found =
      std::ranges::find_if(headers, [&](const HeaderRow& row) { return fits_pattern(row.name, name); });
  return found == headers.end() ? nullptr : &*found;
}

const CmakeTarget* ComposeFacts::cmake_target(std::string_view target) const {
  const auto found = std::ranges::find(cmake_targets, target, &CmakeTarget::target);
  return found == cmake_targets.end() ? nullptr : &*found;
}

Result<TreeFacts> load_tree_facts(const Files& files, const std::string& directory) {
  TRY_ASSIGN(auto base, load_facts(files, directory));
  TRY_ASSIGN(auto contents, load_content_facts(files, directory));
  TreeFacts facts{std::move(base), {}, std::move(contents)};
  TRY(document::read_tables(files, directory + "/redist-compose.toml",
                            "see the comments in the file for the rows that it has",
                            [&](document::Reader& document) { read_rows_of(document, facts.compose); }));
  return facts;
}

} // namespace hostpin::redist
