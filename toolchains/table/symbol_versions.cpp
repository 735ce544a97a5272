// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/table/symbol_versions.hpp"

#include "toolchains/base/version.hpp"
#include "toolchains/document/reader.hpp"

#include <algorithm>
#include <utility>

namespace hostpin {

namespace {

std::string release(document::Reader& row, const std::vector<SymbolRelease>& before) {
  std::string text = row.required("gcc");
  const auto version = parse_version(text);
  if (!text.empty() && !version)
    row.refuse("gcc", "`gcc` is " + document::quoted(text) + ", not a release such as \"13.2\"");
  else if (version && !before.empty() && *version <= parse_version(before.back().gcc).value_or(Version{}))
    row.refuse("gcc", "the row " + text + " does not come after " + before.back().gcc +
                          ": rows ascend without duplicates");
  return text;
}

SymbolRelease release_row(document::Reader& row, const std::vector<SymbolRelease>& before) {
  SymbolRelease taken;
  taken.gcc = release(row, before);
  row.require("versions");
  taken.versions = row.strings("versions");
  for (auto name = taken.versions.begin(); name != taken.versions.end(); ++name) {
    if (!name->starts_with("GLIBCXX_") && !name->starts_with("CXXABI_"))
      row.refuse("versions", document::quoted(*name) + " is not a symbol version of libstdc++");
    if (introduced_by(before, *name) || std::find(taken.versions.begin(), name, *name) != name)
      row.refuse("versions", document::quoted(*name) + " is listed twice");
  }
  taken.source = row.required("source");
  return taken;
}

} // namespace

Result<std::vector<SymbolRelease>> load_symbol_releases(const Files& files, const std::string& directory) {
  std::vector<SymbolRelease> releases;
  TRY(document::read_tables(files, directory + "/libstdcxx.toml", "libstdcxx.toml has [[release]] rows only",
                            [&](document::Reader& document) {
                              document.require("release");
                              document.rows(
                                  "release", "a row has `gcc`, `versions` and `source`", releases,
                                  [&](document::Reader& row) { return release_row(row, releases); });
                            }));
  return releases;
}

std::optional<std::string> introduced_by(const std::vector<SymbolRelease>& releases,
                                         std::string_view version_name) {
  for (const SymbolRelease& release : releases)
    if (std::find(release.versions.begin(), release.versions.end(), version_name) != release.versions.end())
      return release.gcc;
  return std::nullopt;
}

} // namespace hostpin
