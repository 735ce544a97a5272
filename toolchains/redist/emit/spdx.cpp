// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/archive/sha256.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/redist/emit/emit.hpp"
#include "toolchains/redist/emit/names.hpp"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

namespace hostpin::redist {

namespace {

using Json = nlohmann::ordered_json;

/// SPDX's identifier of a license that it lists, else one of this document: `LicenseRef-CUDA-Toolkit`.
std::string license_id(const std::string& license) {
  if (license == "MIT")
    return license;
  if (license.empty())
    return "NOASSERTION";
  std::string id = "LicenseRef-";
  for (const char one : license)
    id += (one >= '0' && one <= '9') || (one >= 'A' && one <= 'Z') || (one >= 'a' && one <= 'z') || one == '.'
              ? one
              : '-';
  return id;
}

/// That of the archive's own text if there is one, else that of the manifest's name for it.
std::string declared_license(const Emission& emission, const LockedArchive& archive,
                             const std::string& name) {
  return emission.licenses.contains(archive.sha256) ? "LicenseRef-" + name : license_id(archive.license);
}

/// An origin does not have the server of its archives; NVIDIA's has them.
std::string location(const Emission& emission, const LockedArchive& archive) {
  if (std::string url = url_of(emission.lock, archive); is_url(url))
    return url;
  const Product* const product = emission.facts.product(archive.product);
  return product == nullptr || product->base.empty() ? "NOASSERTION" : product->base + archive.path;
}

Json package_json(const Emission& emission, const LockedArchive& archive, const std::string& name) {
  return {{"SPDXID", "SPDXRef-" + name},
          {"name", archive.package},
          {"versionInfo", archive.version},
          {"packageFileName", file_name(archive)},
          {"supplier", "Organization: NVIDIA Corporation"},
          {"downloadLocation", location(emission, archive)},
          {"filesAnalyzed", false},
          {"checksums", Json::array({Json{{"algorithm", "SHA256"}, {"checksumValue", archive.sha256}}})},
          {"licenseConcluded", "NOASSERTION"},
          {"licenseDeclared", declared_license(emission, archive, name)},
          {"copyrightText", "NOASSERTION"},
          {"comment", archive.product + ' ' + archive.label + ", " + archive.platform +
                          (archive.variant.empty() ? "" : ", " + archive.variant)}};
}

/// The licenses that SPDX does not list: the text of each archive, or what a manifest calls it.
Json licenses_json(const Emission& emission, const std::vector<std::string>& names) {
  struct License {
    std::string name, text;
  };
  std::map<std::string, License> licenses;
  for (std::size_t index = 0; index < names.size(); ++index) {
    const LockedArchive& archive = emission.lock.archives[index];
    const std::string id = declared_license(emission, archive, names[index]);
    if (const auto text = emission.licenses.find(archive.sha256); text != emission.licenses.end())
      licenses[id] = {(archive.license.empty() ? "" : archive.license + ", of ") + archive.package,
                      text->second};
    else if (id.starts_with("LicenseRef-"))
      licenses[id] = {archive.license, "NVIDIA's manifests call it '" + archive.license +
                                           "'. Its text is the file LICENSE at the top of each archive."};
  }
  Json list = Json::array();
  for (const auto& [id, license] : licenses)
    list.push_back({{"licenseId", id}, {"name", license.name}, {"extractedText", license.text}});
  return list;
}

/// A document has a time of creation, and the same lock the same document: that of its newest manifest.
std::string created(const Lock& lock) {
  std::string newest = "1970-01-01";
  for (const LockedManifest& manifest : lock.manifests)
    if (manifest.date.size() == newest.size() &&
        manifest.date.find_first_not_of("0123456789-") == std::string::npos)
      newest = std::max(newest, manifest.date);
  return newest + "T00:00:00Z";
}

} // namespace

Result<std::string> spdx_text(const Emission& emission) {
  const Lock& lock = emission.lock;
  TRY_ASSIGN(const auto names, identifiers(lock, '-'));
  const std::string title = joined(lock.manifests, ", ", [](const LockedManifest& manifest) {
    return std::string(manifest.product) + ' ' + manifest.label;
  });
  Json packages = Json::array(), relations = Json::array();
  for (std::size_t index = 0; index < names.size(); ++index) {
    const std::string id = "SPDXRef-" + names[index];
    packages.push_back(package_json(emission, lock.archives[index], names[index]));
    relations.push_back({{"spdxElementId", "SPDXRef-DOCUMENT"},
                         {"relationshipType", "DESCRIBES"},
                         {"relatedSpdxElement", id}});
  }
  const Json document{
      {"spdxVersion", "SPDX-2.3"},
      {"dataLicense", "CC0-1.0"},
      {"SPDXID", "SPDXRef-DOCUMENT"},
      {"name", title.empty() ? "redist.lock" : title},
      {"documentNamespace", "https://spdx.org/spdxdocs/redist.lock-" + sha256_of(lock_text(lock))},
      {"creationInfo", {{"created", created(lock)}, {"creators", Json::array({"Tool: hostpin"})}}},
      {"packages", packages},
      {"hasExtractedLicensingInfos", licenses_json(emission, names)},
      {"relationships", relations}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace hostpin::redist
