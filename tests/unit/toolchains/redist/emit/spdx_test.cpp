// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/redist/emit/locks.hpp"
#include "toolchains/document/json.hpp"

#include <doctest/doctest.h>

using namespace hostpin::redist;

namespace {

hostpin::document::Value document(const Lock& lock) {
  return hostpin::document::parse_json(emitted(spdx_text, lock)).value();
}

std::string text(const hostpin::document::Value& object, std::string_view key) {
  const hostpin::document::Value* const value = object.find(key);
  return value == nullptr ? "absent" : value->text;
}

} // namespace

TEST_CASE("each archive is a package of the document, with checksum, location and license") {
  const hostpin::document::Value root = document(cudnn_lock());
  const hostpin::document::Value& package = root.find("packages")->items.at(0);
  CHECK(text(package, "SPDXID") == "SPDXRef-cudnn-cuda12-linux-sbsa");
  CHECK(text(package, "versionInfo") == "9.1.1.17");
  CHECK(text(package, "downloadLocation") == "https://example.org/cudnn/cudnn/linux-sbsa/c.tar.xz");
  CHECK(text(package, "licenseDeclared") == "LicenseRef-cudnn");
  const hostpin::document::Value& checksum = package.find("checksums")->items.at(0);
  CHECK(text(checksum, "algorithm") == "SHA256");
  CHECK(text(checksum, "checksumValue") == std::string(64, 'a'));
  CHECK(root.find("relationships")->items.size() == 2);
}

TEST_CASE("licenses that SPDX does not list are defined once, under NVIDIA's name for them") {
  Lock lock = cudnn_lock();
  lock.archives.push_back(lock.archives[0]);
  lock.archives.back().platform = "linux-x86_64";
  const hostpin::document::Value root = document(lock);
  REQUIRE(root.find("hasExtractedLicensingInfos")->items.size() == 1); // MIT is listed
  CHECK(text(root.find("hasExtractedLicensingInfos")->items[0], "licenseId") == "LicenseRef-cudnn");
  CHECK(text(root.find("packages")->items.at(1), "licenseDeclared") == "MIT");
  lock.archives[0].license.clear();
  CHECK(text(document(lock).find("packages")->items.at(0), "licenseDeclared") == "NOASSERTION");
}

TEST_CASE("the time of creation is that of the newest manifest, not of the clock") {
  Lock lock = cudnn_lock();
  lock.manifests.push_back({"cuda", "12.4.1", "2024-04-03", std::string(64, '0'), "https://example.org/"});
  CHECK(text(*document(lock).find("creationInfo"), "created") == "2024-05-02T00:00:00Z");
  for (LockedManifest& manifest : lock.manifests)
    manifest.date.clear();
  CHECK(text(*document(lock).find("creationInfo"), "created") == "1970-01-01T00:00:00Z");
}

TEST_CASE("the license texts of a composed toolkit are those of each package, apart") {
  Lock lock = cudnn_lock();
  lock.manifests[0].base.clear(); // an origin does not have it
  lock.archives[1].sha256 = std::string(64, 'b');
  const Facts facts{};
  const auto text_of_root =
      spdx_text({facts, lock, {}, {{lock.archives[0].sha256, "one"}, {lock.archives[1].sha256, "two"}}});
  REQUIRE(text_of_root);
  const hostpin::document::Value root = hostpin::document::parse_json(*text_of_root).value();
  const auto& licenses = root.find("hasExtractedLicensingInfos")->items;
  REQUIRE(licenses.size() == 2);
  for (std::size_t index = 0; index < 2; ++index) {
    const hostpin::document::Value& package = root.find("packages")->items.at(index);
    CHECK(text(package, "downloadLocation") == "NOASSERTION");
    const std::string id = text(package, "licenseDeclared");
    CHECK(id == "LicenseRef-" + text(package, "SPDXID").substr(8));
    const bool is_first = text(licenses[0], "licenseId") == id;
    CHECK(text(licenses[is_first ? 0 : 1], "licenseId") == id);
    CHECK(text(licenses[is_first ? 0 : 1], "extractedText") == (index == 0 ? "one" : "two"));
  }
}
