// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/lock.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/document/json.hpp"
#include "toolchains/document/json_writer.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace hostpin::redist {

using document::Field;

void fields(document::Of<LockedManifest> auto& one, auto& visit) {
  visit("product", one.product);
  visit("label", one.label);
  visit("date", one.date, Field::optional);
  visit.digest("sha256", one.sha256);
  visit("url", one.url, Field::optional);
  visit("base", one.base);
}

void fields(document::Of<LockedArchive> auto& one, auto& visit) {
  visit("product", one.product);
  visit("label", one.label);
  visit("package", one.package);
  visit("name", one.name, Field::optional);
  visit("version", one.version);
  visit("platform", one.platform);
  visit("variant", one.variant, Field::optional);
  visit("license", one.license, Field::optional);
  visit("license_path", one.license_path, Field::optional);
  visit("path", one.path);
  visit.digest("sha256", one.sha256);
  visit("md5", one.md5, Field::optional);
  visit.number("size", one.size, "a number of bytes");
  visit.digest("tree", one.tree, Field::optional);
}

void fields(document::Of<Lock> auto& lock, auto& visit) {
  visit.schema(1, "a lock");
  visit("manifests", lock.manifests);
  visit("archives", lock.archives);
}

std::string defect(const LockedManifest& one) {
  return one.base.ends_with('/') ? "" : "'base' does not end with a slash";
}

std::string defect(const LockedArchive& one) {
  if (!one.md5.empty() && !is_hex_digest(one.md5, 32))
    return "'md5' is not 32 lower-case hexadecimal digits";
  for (const std::string& path : {one.license_path, one.path})
    if (!path.empty() && !is_safe_path(path))
      return "the path '" + escaped(path) + "' is not below its directory";
  return {};
}

std::string defect(const Lock& lock) {
  for (const LockedArchive& one : lock.archives)
    if (url_of(lock, one).empty())
      return "no manifest is listed for " + name_of(one);
  return {};
}

tl::expected<Lock, document::Problem> read_lock(const document::Value& json) {
  return document::record_of<Lock>(json);
}

Result<Lock> read_lock(std::string_view content, const std::string& file) {
  const auto json = document::parse_json(content);
  if (json && json->find("manifests") == nullptr && json->find("archives") == nullptr)
    return failure(file + ": this is not a lock", "make one of a manifest with `hostpin redist lock`");
  return json.and_then([](const document::Value& value) { return read_lock(value); })
      .map_error([&](const document::Problem& problem) {
        return document::error_at(file, problem, "make the lock again with `hostpin redist lock`");
      });
}

std::string lock_text(Lock lock) {
  std::ranges::sort(lock.manifests, {},
                    [](const LockedManifest& one) { return std::tie(one.product, one.label); });
  std::ranges::sort(lock.archives, {}, [](const LockedArchive& one) {
    return std::tie(one.product, one.label, one.package, one.platform, one.variant, one.path);
  });
  return document::JsonWriter::json_of(lock).dump(1) + '\n';
}

std::string url_of(const Lock& lock, const LockedArchive& archive) {
  const auto found = std::ranges::find_if(lock.manifests, [&](const LockedManifest& one) {
    return one.product == archive.product && one.label == archive.label;
  });
  return found == lock.manifests.end() ? std::string() : found->base + archive.path;
}

std::string name_of(const LockedArchive& archive) {
  return archive.package + ' ' + archive.version + ' ' + archive.platform +
         (archive.variant.empty() ? "" : ' ' + archive.variant);
}

bool is_url(std::string_view argument) {
  return argument.find("://") != std::string_view::npos;
}

Result<void> check_no_user(std::string_view url) {
  if (without_user(url) == url)
    return {};
  return failure("a URL has a user or password, which would be in locks and messages",
                 "write them to ~/.netrc instead");
}

bool is_safe_path(std::string_view path) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-/";
  return path.find_first_not_of(letters) == std::string_view::npos && is_path_below(path);
}

bool is_path_below(std::string_view path) {
  if (path.empty() || !is_utf8(path) || std::ranges::any_of(path, [](char letter) {
        return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f';
      }))
    return false;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view name = path.substr(begin, end - begin);
    if (name.empty() || name == "." || name == "..")
      return false;
    begin = end + 1;
  }
  return true;
}

std::string_view archive_stem(std::string_view name) {
  for (const std::string_view extension : {".tar.xz", ".tar.gz", ".tar.zst", ".zip"})
    if (name.ends_with(extension))
      return name.substr(0, name.size() - extension.size());
  return name;
}

bool fits_cuda(std::string_view variant, std::string_view release) {
  constexpr std::string_view prefix = "cuda";
  if (!variant.starts_with(prefix) || release.empty())
    return false;
  const std::string one = std::string(variant.substr(prefix.size())) + '.',
                    other = std::string(release) + '.';
  return one.starts_with(other) || other.starts_with(one);
}

} // namespace hostpin::redist
