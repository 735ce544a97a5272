// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/table/table.hpp"

#include "toolchains/table/rows.hpp"
#include "toolchains/table/toml.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace hostpin {

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

bool Table::has_feature(std::string_view name, const Version& toolkit) const {
  return std::any_of(features.begin(), features.end(), [&](const Feature& feature) {
    return feature.name == name && feature.since <= toolkit;
  });
}

Result<Table> load_table(const Files& files, const std::string& directory) {
  struct Part {
    const char* name;
    std::optional<Error> (*take)(TomlReader&, Table&);
  };
  constexpr auto parts = std::to_array<Part>(
      {{"cuda.toml", take_ranges}, {"exceptions.toml", take_exceptions}, {"packages.toml", take_packages}});
  Table table;
  for (const Part& part : parts) {
    table.files.push_back(directory + '/' + part.name);
    const Result<TomlValue> document = read_toml(files, table.files.back());
    if (!document)
      return tl::unexpected(document.error());
    TomlReader reader(table.files.back(), *document);
    if (auto error = part.take(reader, table))
      return tl::unexpected(*std::move(error));
  }
  return table;
}

} // namespace hostpin
