// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/facts.hpp"

#include "toolchains/document/reader.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace hostpin::redist {

namespace {

// Each fact has a source, which only readers of the file need.

Product product_row(document::Reader& row) {
  Product product{row.required("name"), row.required("base"), row.string("spack").value_or(""),
                  row.string("spack-version").value_or(""), row.string("archive-prefix").value_or("")};
  row.required("source");
  if (!product.base.empty() && !product.base.ends_with('/'))
    row.refuse("base", "a base ends with a slash");
  if (product.spack.empty() != product.spack_version.empty())
    row.refuse("spack", "a package of Spack has a form of versions, spack-version");
  return product;
}

Rename rename_row(document::Reader& row) {
  Rename rename{row.required("from"), row.required_strings("to"), row.required("since")};
  row.required("source");
  return rename;
}

std::vector<std::string> toolkit_row(document::Reader& row) {
  std::vector<std::string> packages = row.required_strings("packages");
  row.required("source");
  return packages;
}

Library library_row(document::Reader& row) {
  Library library{row.required("name"), row.required("package"), row.strings("needs"),
                  row.string("since").value_or("")};
  row.required("source");
  return library;
}

Newest newest_row(document::Reader& row) {
  Newest newest{row.required("release"), row.required("label")};
  row.required("source");
  return newest;
}

std::string license_row(document::Reader& row) {
  std::string name = row.required("name");
  row.required("source");
  return name;
}

WrongHash wrong_hash_row(document::Reader& row) {
  WrongHash hash{row.required("path"), row.required("sha256"), row.required("right")};
  row.required("source");
  return hash;
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
  TRY_ASSIGN(facts.platforms, load_platforms(files, directory));
  const auto read = [&](document::Reader& document) {
    document.rows("product", "a row has `name`, `base`, `source`", facts.products, product_row);
    document.rows("rename", "a row has `from`, `to`, `since`, `source`", facts.renames, rename_row);
    std::vector<std::vector<std::string>> toolkits;
    document.rows("toolkit", "a row has `packages`, `source`", toolkits, toolkit_row);
    for (std::vector<std::string>& each : toolkits)
      facts.toolkit = std::move(each);
    document.rows("library", "a row has `name`, `package`, `needs`, `since`, `source`", facts.libraries,
                  library_row);
    document.rows("newest", "a row has `release`, `label`, `source`", facts.newest, newest_row);
    document.rows("license", "a row has `name`, `source`", facts.licenses, license_row);
    document.rows("wrong-hash", "a row has `path`, `sha256`, `right`, `source`", facts.wrong_hashes,
                  wrong_hash_row);
  };
  TRY(document::read_tables(files, directory + "/redist.toml",
                            "see the comments in the file for the rows that it has", read));
  return facts;
}

} // namespace hostpin::redist
