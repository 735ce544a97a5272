// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/facts.hpp"

#include "toolchains/table/toml.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace hostpin::redist {

namespace {

/// Each fact has a source, which only readers of the file need.
void require_source(TomlReader& row) {
  row.required("source");
}

Product product_row(TomlReader& row) {
  Product product{row.required("name"), row.required("base"), row.string("spack").value_or(""),
                  row.string("spack-version").value_or(""), row.string("archive-prefix").value_or("")};
  require_source(row);
  if (!product.base.empty() && !product.base.ends_with('/'))
    row.refuse("base", "a base ends with a slash");
  if (product.spack.empty() != product.spack_version.empty())
    row.refuse("spack", "a package of Spack has a form of versions, spack-version");
  return product;
}

Rename rename_row(TomlReader& row) {
  row.require("to");
  Rename rename{row.required("from"), row.strings("to"), row.required("since")};
  require_source(row);
  return rename;
}

std::vector<std::string> toolkit_row(TomlReader& row) {
  row.require("packages");
  std::vector<std::string> packages = row.strings("packages");
  require_source(row);
  return packages;
}

Library library_row(TomlReader& row) {
  Library library{row.required("name"), row.required("package"), row.strings("needs"),
                  row.string("since").value_or("")};
  require_source(row);
  return library;
}

Newest newest_row(TomlReader& row) {
  Newest newest{row.required("release"), row.required("label")};
  require_source(row);
  return newest;
}

std::string license_row(TomlReader& row) {
  std::string name = row.required("name");
  require_source(row);
  return name;
}

WrongHash wrong_hash_row(TomlReader& row) {
  WrongHash hash{row.required("path"), row.required("sha256"), row.required("right")};
  require_source(row);
  return hash;
}

/// Reads a file of the directory with `take`, which reads its rows.
template <typename Take>
std::optional<Error> read_file(const Files& files, const std::string& path, Take take) {
  const Result<TomlValue> content = read_toml(files, path);
  if (!content)
    return content.error();
  TomlReader document(path, *content);
  if (auto error = take(document))
    return error;
  return document.finish("see the comments in the file for the rows that it has");
}

template <typename Rows>
const typename Rows::value_type* named(const Rows& rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &Rows::value_type::name);
  return found == rows.end() ? nullptr : &*found;
}

} // namespace

const Platform* Facts::platform(std::string_view name) const {
  return platform_named(platforms, name);
}

const Product* Facts::product(std::string_view name) const {
  return named(products, name);
}

const Rename* Facts::rename_of(std::string_view package) const {
  const auto found = std::ranges::find(renames, package, &Rename::from);
  return found == renames.end() ? nullptr : &*found;
}

Result<Facts> load_facts(const Files& files, const std::string& directory) {
  Facts facts;
  auto platforms = load_platforms(files, directory);
  if (!platforms)
    return tl::unexpected(std::move(platforms.error()));
  facts.platforms = *std::move(platforms);
  auto error = read_file(files, directory + "/redist.toml", [&](TomlReader& document) {
    auto wrong =
        read_rows(document, "product", "a row has `name`, `base`, `source`", facts.products, product_row);
    if (!wrong)
      wrong = read_rows(document, "rename", "a row has `from`, `to`, `since`, `source`", facts.renames,
                        rename_row);
    std::vector<std::vector<std::string>> toolkits;
    if (!wrong)
      wrong = read_rows(document, "toolkit", "a row has `packages`, `source`", toolkits, toolkit_row);
    for (std::vector<std::string>& each : toolkits)
      facts.toolkit = std::move(each);
    if (!wrong)
      wrong = read_rows(document, "library", "a row has `name`, `package`, `needs`, `since`, `source`",
                        facts.libraries, library_row);
    if (!wrong)
      wrong =
          read_rows(document, "newest", "a row has `release`, `label`, `source`", facts.newest, newest_row);
    if (!wrong)
      wrong = read_rows(document, "license", "a row has `name`, `source`", facts.licenses, license_row);
    if (!wrong)
      wrong = read_rows(document, "wrong-hash", "a row has `path`, `sha256`, `right`, `source`",
                        facts.wrong_hashes, wrong_hash_row);
    return wrong;
  });
  if (error)
    return tl::unexpected(*std::move(error));
  return facts;
}

} // namespace hostpin::redist
