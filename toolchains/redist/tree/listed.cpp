// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/listed.hpp"

#include "toolchains/base/text.hpp"
#include "toolchains/document/json.hpp"
#include "toolchains/redist/lock.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace hostpin::redist {

namespace {

using Listed = std::vector<ListedArchive>;

std::string at(const std::string& file, const Position& position) {
  return file + ':' + std::to_string(position.line) + ':' + std::to_string(position.column) + ": ";
}

bool is_lock(const document::Value& json) {
  return json.find("schema") != nullptr && json.find("archives") != nullptr;
}

Result<Listed> in_lock(std::string_view content, const std::string& file) {
  TRY_ASSIGN(const auto lock, read_lock(content, file));
  Listed listed;
  for (const LockedArchive& one : lock.archives)
    listed.push_back(
        {one.package, "", one.license, "", one.version, one.platform, one.variant, one.path, one.sha256});
  return listed;
}

Result<ListedArchive> listed(const Package& package, const Archive& archive, const std::string& file) {
  if (!is_safe_path(archive.path.value) || !is_hex_digest(archive.sha256.value, 64))
    return failure(at(file, archive.at) + "the path or the SHA-256 of " + package.key + " for " +
                       archive.platform + " is malformed",
                   "run `hostpin redist check` on the file");
  return ListedArchive{
      package.key,           package.name.value, package.license.value, package.license_path.value,
      package.version.value, archive.platform,   archive.variant,       archive.path.value,
      archive.sha256.value};
}

Result<Listed> in_manifest(const document::Value& json, const std::string& file,
                           const std::string& platform) {
  std::vector<Finding> findings;
  const auto manifest = read_manifest(json, file, findings);
  if (!manifest)
    return failure(file + " is not a manifest", "run `hostpin redist check` on the file");
  Listed all;
  for (const Package& package : manifest->packages)
    for (const Archive& archive : package.archives) {
      if (!platform.empty() && archive.platform != platform)
        continue;
      TRY_ASSIGN(auto one, listed(package, archive, file));
      all.push_back(std::move(one));
    }
  return all;
}

/// Those of `packages`; an error names one that is not there.
Result<Listed> selected(Listed all, const std::string& file, const std::string& platform,
                        const std::vector<std::string>& packages) {
  if (!platform.empty())
    std::erase_if(all, [&](const ListedArchive& one) { return one.platform != platform; });
  if (all.empty())
    return failure(file + " has no archive for the platform " + platform,
                   "platforms are called as in the file, such as linux-x86_64");
  std::set<std::string> there;
  for (const ListedArchive& one : all)
    there.insert(one.package);
  for (const std::string& package : packages)
    if (!there.contains(package))
      return failure(file + " has no package " + package + " for " + platform, "it has " + joined(there));
  if (!packages.empty())
    std::erase_if(all, [&](const ListedArchive& one) {
      return std::ranges::find(packages, one.package) == packages.end();
    });
  std::ranges::sort(all);
  return all;
}

} // namespace

Result<Listed> listed_archives(std::string_view content, const std::string& file, const std::string& platform,
                               const std::vector<std::string>& packages) {
  const auto json = document::parse_json(content);
  if (!json)
    return failure(at(file, json.error().at) + json.error().what);
  auto all = is_lock(*json) ? in_lock(content, file) : in_manifest(*json, file, platform);
  if (!all)
    return all;
  return selected(*std::move(all), file, platform, packages);
}

Listed well_formed_archives(const Manifest& manifest) {
  Listed all;
  for (const Package& package : manifest.packages)
    for (const Archive& archive : package.archives)
      if (auto one = listed(package, archive, manifest.file))
        all.push_back(*std::move(one));
  return all;
}

std::string name_of(const ListedArchive& archive) {
  return archive.package + ' ' + archive.version + ' ' + archive.platform +
         (archive.variant.empty() ? "" : ' ' + archive.variant);
}

} // namespace hostpin::redist
