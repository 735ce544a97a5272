// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/unicode.hpp"
#include "toolchains/redist/emit/emit.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <nlohmann/json.hpp>

namespace hostpin::redist {

namespace {

using Json = nlohmann::ordered_json;

/// Keys that a manifest has next to its packages, and a package next to its platforms.
constexpr std::array<std::string_view, 4> release_keys{"release_date", "release_label", "release_product",
                                                       "release_reduced_from"};
constexpr std::array<std::string_view, 5> package_keys{"name", "license", "license_path", "version",
                                                       "cuda_variant"};

void add(Json& object, const char* key, const std::string& value) {
  if (!value.empty())
    object[key] = value;
}

Json archive_json(const LockedArchive& archive) {
  Json json{{"relative_path", archive.path}, {"sha256", archive.sha256}};
  add(json, "md5", archive.md5);
  if (archive.size)
    json["size"] = std::to_string(*archive.size);
  return json;
}

/// What the archives of a package have in common. An empty license and name were absent in the manifest, too.
Json package_json(const LockedArchive& archive, const std::set<std::string>& variants) {
  Json json = Json::object();
  add(json, "name", archive.name);
  add(json, "license", archive.license);
  add(json, "license_path", archive.license_path);
  json["version"] = archive.version;
  for (const std::string& variant : variants)
    json["cuda_variant"].push_back(variant.starts_with("cuda") ? variant.substr(4) : variant);
  return json;
}

/// By package: the variants of its archives.
std::map<std::string, std::set<std::string>> variants_of(const Lock& lock) {
  std::map<std::string, std::set<std::string>> variants;
  for (const LockedArchive& archive : lock.archives)
    if (auto& all = variants[archive.package]; !archive.variant.empty())
      all.insert(archive.variant);
  return variants;
}

tl::unexpected<Error> refused(const LockedArchive& archive, const std::string& why) {
  return failure(escaped(name_of(archive)) + ' ' + why, "make the lock again with `hostpin redist lock`");
}

/// Adds an archive to its package; a lock that was edited can have what no manifest has.
Result<void> add_archive(Json& package, const LockedArchive& archive) {
  if (package["version"] != archive.version)
    return refused(archive, "is in the lock with another version, too");
  if (std::ranges::find(package_keys, archive.platform) != package_keys.end())
    return refused(archive, "is for a platform of which a manifest has no name");
  Json& platform = package[archive.platform];
  if (archive.variant.empty() ? !platform.is_null()
                              : platform.contains(archive.variant) || platform.contains("relative_path"))
    return refused(archive, "is in the lock twice");
  if (archive.variant.empty())
    platform = archive_json(archive);
  else
    platform[archive.variant] = archive_json(archive);
  return {};
}

/// The manifest of which the new one is a part.
Json origin_json(const LockedManifest& manifest) {
  Json json = Json::object();
  add(json, "url", manifest.url);
  json["base"] = manifest.base;
  json["sha256"] = manifest.sha256;
  return json;
}

tl::unexpected<Error> several(const Lock& lock) {
  std::string titles;
  std::set<std::string> products;
  for (const LockedManifest& one : lock.manifests) {
    titles += (titles.empty() ? "" : ", ") + escaped(one.product + ' ' + one.label);
    products.insert(one.product);
  }
  return failure(lock.manifests.empty()
                     ? "the lock is empty"
                     : "a manifest is for one release of one product, and the lock has " + titles,
                 products.size() > 1 ? "name the product with --product" : "make a lock of one release");
}

} // namespace

Result<std::string> nixpkgs_text(const Emission& emission) {
  const Lock& lock = emission.lock;
  if (lock.manifests.size() != 1)
    return several(lock);
  const LockedManifest& manifest = lock.manifests.front();
  Json document = Json::object();
  add(document, "release_date", manifest.date);
  document["release_label"] = manifest.label;
  document["release_product"] = manifest.product;
  document["release_reduced_from"] = origin_json(manifest);
  const auto variants = variants_of(lock);
  for (const LockedArchive& archive : lock.archives) {
    if (std::ranges::find(release_keys, archive.package) != release_keys.end())
      return refused(archive, "is a package that no manifest has");
    if (!document.contains(archive.package))
      document[archive.package] = package_json(archive, variants.at(archive.package));
    TRY(add_archive(document[archive.package], archive));
  }
  return document.dump(4, ' ', true, Json::error_handler_t::replace) + '\n';
}

} // namespace hostpin::redist
