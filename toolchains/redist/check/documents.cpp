// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/check/documents.hpp"

#include "toolchains/archive/sha256.hpp"
#include "toolchains/document/toml.hpp"
#include "toolchains/redist/check/manifest_rules.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace hostpin::redist {

namespace {

constexpr std::size_t deepest_directory = 16;

bool is_document(std::string_view path) {
  return path.ends_with(".json") || path.ends_with(".toml") || path.ends_with(".lock");
}

void add_files_below(const Files& files, const std::string& directory, std::size_t depth,
                     std::vector<std::string>& found) {
  for (const std::string& name : files.entries(directory)) {
    const std::string path = directory + (directory.ends_with('/') ? "" : "/") + name;
    const auto status = files.status(path);
    if (status && status->kind == FileStatus::Kind::directory && depth < deepest_directory &&
        !files.status(path + "/origin.json")) // composed toolkits have other files with these names
      add_files_below(files, path, depth + 1, found);
    else if (status && status->kind == FileStatus::Kind::regular && is_document(path))
      found.push_back(path);
  }
}

bool is_manifest_name(std::string_view path) {
  return !label_in_name(path).empty();
}

/// A package with a version, or a key of releases.
bool is_manifest(const document::Value& json) {
  return std::ranges::any_of(json.members, [](const document::Member& one) {
    return one.key.starts_with("release_") || one.value.find("version") != nullptr;
  });
}

/// Files that lie next to manifests, such as schemas, are not documents.
enum class Form { manifest, features, releases, lock, other };

Form form_of(const document::Value& json, const std::string& path) {
  if (is_manifest_name(path))
    return Form::manifest;
  if (json.find("archives") != nullptr && json.find("manifests") != nullptr)
    return Form::lock;
  if (is_releases(json))
    return Form::releases;
  if (feature_generation(json) != 0)
    return Form::features;
  // NVIDIA publishes JSON only, and TOML of other programs has tables with versions, too.
  return is_manifest(json) && !path.ends_with(".toml") ? Form::manifest : Form::other;
}

/// The directory of a URL, without query and fragment; empty for a path.
std::string base_of(const std::string& path) {
  if (!is_url(path))
    return {};
  const std::string without_query = path.substr(0, path.find_first_of("?#"));
  return without_query.substr(0, without_query.rfind('/') + 1);
}

void take(const document::Value& json, const std::string& content, const std::string& path, bool named,
          const std::string& published, Documents& documents, std::vector<Finding>& findings) {
  switch (form_of(json, path)) {
  case Form::manifest:
    if (auto manifest = read_manifest(json, path, findings)) {
      manifest->path = published;
      documents.manifests.push_back({*std::move(manifest), sha256_of(content), base_of(path)});
    } else {
      ++documents.unreadable;
    }
    return;
  case Form::features:
    documents.features.push_back(read_feature_manifest(json, path, findings));
    return;
  case Form::releases:
    documents.releases.push_back(read_releases(json, path, findings));
    return;
  case Form::lock:
    ++documents.locks;
    if (const auto lock = read_lock(json); !lock)
      findings.push_back(finding(Rule::wrong_type, path, lock.error().at, {}, lock.error().what + '.'));
    return;
  case Form::other:
    break;
  }
  if (!named)
    return;
  ++documents.unreadable;
  findings.push_back(
      finding(Rule::wrong_type, path, {1, 1}, "document",
              "This is neither a manifest, nor a feature manifest, nor a list of releases, nor a lock."));
}

/// The digests that manifests list, by the name of the archive.
std::map<std::string_view, const Archive*> archives_by_name(const Documents& documents) {
  std::map<std::string_view, const Archive*> archives;
  for (const CheckedManifest& one : documents.manifests)
    for (const Package& package : one.manifest.packages)
      for (const Archive& archive : package.archives) {
        const std::string_view path = archive.path.value;
        archives.try_emplace(path.substr(path.rfind('/') + 1), &archive);
      }
  return archives;
}

/// A release and a manifest that name the same archive have the same hash of it.
void compare_with_manifests(const Documents& documents, std::vector<Finding>& findings) {
  const auto archives = archives_by_name(documents);
  for (const Releases& releases : documents.releases)
    for (const ListedRelease& one : releases.releases) {
      const std::string name = one.location.value.substr(one.location.value.rfind('/') + 1);
      const auto found = archives.find(name);
      const std::string hex = hex_of_sri(one.hash.value);
      if (found == archives.end() || hex.empty() || found->second->sha256.value == hex)
        continue;
      findings.push_back(
          finding(Rule::two_hashes, releases.file, one.hash.at, name,
                  "The SHA-256 is " + hex + ", and a manifest lists " + found->second->sha256.value + '.'));
      findings.back().platform = one.platform;
      findings.back().entry = one.at;
    }
}

} // namespace

Result<std::vector<std::string>> document_files(const Files& files, const std::string& path) {
  const auto status = files.status(path);
  if (!status)
    return failure(path + ": there is no such file or directory, or it cannot be reached");
  if (status->kind != FileStatus::Kind::directory)
    return std::vector{path};
  std::vector<std::string> found;
  add_files_below(files, path, 0, found);
  if (found.empty())
    return failure(path + ": there is no .json, .toml or .lock file below it",
                   "name a manifest, such as redistrib_12.4.1.json, or a directory with manifests");
  std::ranges::sort(found);
  return found;
}

Result<void> read_document(const Files& files, const std::string& path, bool named, Documents& documents,
                           std::vector<Finding>& findings) {
  TRY_ASSIGN(const auto content, files.read(path, document::largest_document));
  const std::string published = path_as_published(files, path);
  const auto value = path.ends_with(".toml") ? document::parse_toml(content) : document::parse_json(content);
  if (value) {
    take(*value, content, path, named, published, documents, findings);
  } else {
    findings.push_back(finding(Rule::not_json, path, value.error().at, {}, value.error().what + '.'));
    ++documents.unreadable;
  }
  return {};
}

void check_documents(const Documents& documents, const Facts& facts, std::vector<Finding>& findings) {
  for (const CheckedManifest& one : documents.manifests)
    check_manifest(one.manifest, facts, findings);
  check_releases(documents.manifests, facts, findings);
  for (const Releases& one : documents.releases)
    check_releases_file(one, facts, findings);
  compare_with_manifests(documents, findings);
}

} // namespace hostpin::redist
