// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/select/release.hpp"

#include "toolchains/base/unicode.hpp"
#include "toolchains/redist/check/feature_manifest.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace hostpin::redist {

Release release_of(const Manifest& manifest) {
  Release release;
  const std::string product = product_of(manifest), label = label_of(manifest);
  release.title = product.empty() || label.empty() ? manifest.file : product + ' ' + label;
  for (const Package& package : manifest.packages) {
    ReleasePackage& row = release.packages[package.key];
    row.version = package.version.value;
    row.license = package.license.value;
    for (const Archive& archive : package.archives)
      row.archives[{archive.platform, archive.variant}] = {
          archive.sha256.value, archive.size.value_or(0), {}, archive.path.value};
  }
  return release;
}

Release release_of(const Lock& lock) {
  Release release;
  for (const LockedManifest& manifest : lock.manifests) {
    if (!release.title.empty())
      release.title += ", ";
    release.title += manifest.product + ' ' + manifest.label;
  }
  for (const LockedArchive& archive : lock.archives) {
    ReleasePackage& row = release.packages[archive.package];
    row.version = archive.version;
    row.license = archive.license;
    row.archives[{archive.platform, archive.variant}] = {
        archive.sha256, archive.size.value_or(0), {}, archive.path};
  }
  return release;
}

namespace {

std::string text_in(const document::Value* object, std::string_view key) {
  const document::Value* const value = object == nullptr ? nullptr : object->find(key);
  return value == nullptr || value->kind != document::Value::Kind::string ? std::string() : value->text;
}

/// The strings of an array, or of the arrays in an object: one for each CUDA release that is apart.
std::set<std::string> texts_in(const document::Value* value) {
  std::set<std::string> texts;
  if (value == nullptr)
    return texts;
  for (const document::Value& item : value->items)
    if (item.kind == document::Value::Kind::string)
      texts.insert(item.text);
  for (const document::Member& member : value->members)
    texts.merge(texts_in(&member.value));
  return texts;
}

ReleaseContent content_of(const document::Value& features) {
  ReleaseContent content{
      texts_in(features.find("outputs")), {}, texts_in(features.find("cudaArchitectures")), {}};
  if (const document::Value* const libraries = features.find("providedLibs"))
    for (const document::Value& library : libraries->items)
      if (std::string soname = text_in(&library, "soname"); !soname.empty())
        content.sonames.insert(std::move(soname));
  return content;
}

ReleasePackage package_of(const document::Value& value) {
  const document::Value* const info = value.find("releaseInfo");
  ReleasePackage package{text_in(info, "version"), text_in(info, "license"), {}};
  const document::Value* const platforms = value.find("packages");
  if (platforms == nullptr)
    return package;
  for (const document::Member& platform : platforms->members)
    for (const document::Member& variant : platform.value.members) {
      ReleaseArchive archive{text_in(&variant.value, "recursiveHash"), 0, {}, {}};
      if (const document::Value* const features = variant.value.find("features"))
        archive.content = content_of(*features);
      package.archives[{platform.key, variant.key == "None" ? "" : variant.key}] = std::move(archive);
    }
  return package;
}

/// The first error that was found in a manifest.
tl::unexpected<Error> refused(const std::vector<Finding>& findings) {
  const auto worst = std::ranges::find(findings, Severity::error, &Finding::severity);
  return failure(worst->file + ':' + std::to_string(worst->at.line) + ':' + std::to_string(worst->at.column) +
                     ": " + escaped(worst->explanation),
                 "see `hostpin redist check` for everything that is wrong in it");
}

} // namespace

Release release_of_features(const document::Value& json, const std::string& file) {
  Release release{file, {}};
  for (const document::Member& member : json.members)
    if (member.value.kind == document::Value::Kind::object)
      release.packages[member.key] = package_of(member.value);
  return release;
}

Release limited(Release release, const std::string& platform) {
  for (auto& [name, package] : release.packages)
    std::erase_if(package.archives, [&](const auto& one) { return !serves(one.first.first, platform); });
  std::erase_if(release.packages, [](const auto& one) { return one.second.archives.empty(); });
  return release;
}

Result<Release> read_release(const Files& files, const std::string& path,
                             std::span<const std::string> platforms) {
  TRY_ASSIGN(const auto content, files.read(path, document::largest_document));
  const auto json = document::parse_json(content);
  if (json && json->find("manifests") != nullptr && json->find("schema") != nullptr)
    return read_lock(content, path).map([](const Lock& lock) { return release_of(lock); });
  if (json && feature_generation(*json) == 2)
    return release_of_features(*json, path);
  std::vector<Finding> findings;
  auto manifest = json ? read_manifest(*json, path, findings) : read_manifest(content, path, findings);
  std::erase_if(findings, [&](const Finding& one) { return !is_about(one, platforms); });
  if (!manifest || most_severe(findings) == Severity::error)
    return refused(findings);
  manifest->path = path_as_published(files, path);
  return release_of(*manifest);
}

} // namespace hostpin::redist
