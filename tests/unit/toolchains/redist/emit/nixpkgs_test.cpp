// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/redist/emit/locks.hpp"
#include "toolchains/redist/check/manifest_rules.hpp"
#include "toolchains/redist/select/selection.hpp"

#include <random>

#include <doctest/doctest.h>

using namespace hostpin::redist;

namespace {

/// A manifest in NVIDIA's form: packages for a few of the platforms, some with CUDA variants.
std::string manifest_text(std::mt19937& random) {
  const auto some = [&](unsigned of) { return random() % of == 0; };
  unsigned hashes = 0;
  const auto archive = [&](const std::string& package, const std::string& platform,
                           const std::string& variant) {
    const std::string digits = std::to_string(++hashes);
    return R"({"relative_path": ")" + package + '/' + platform + '/' + package + '-' + platform + "-1.2" +
           (variant.empty() ? "" : '_' + variant) + R"(-archive.tar.xz", "sha256": ")" +
           std::string(64 - digits.size(), 'a') + digits + R"(", "md5": ")" + std::string(32, 'b') +
           R"(", "size": ")" + digits + "\"}";
  };
  std::string text = R"({"release_date": "2025-06-02", "release_label": "9.1.1", "release_product": "cudnn")";
  for (const std::string package : {"a", "b", "c", "d"}) {
    const bool has_variants = some(2), is_source = package != "a" && some(4);
    text += ",\n\"" + package + R"(": {"name": "The ü )" + package +
            R"(", "license": "cudnn", "license_path": ")" + package + R"(/LICENSE.txt", "version": "1.2")";
    if (has_variants)
      text += R"(, "cuda_variant": ["12", "13"])";
    for (const std::string platform : {"linux-x86_64", "linux-sbsa"}) {
      if (is_source || (package != "a" && some(3)))
        continue;
      text += ", \"" + platform + "\": ";
      text += has_variants ? R"({"cuda12": )" + archive(package, platform, "cuda12") + R"(, "cuda13": )" +
                                 archive(package, platform, "cuda13") + '}'
                           : archive(package, platform, "");
    }
    if (is_source)
      text += ", \"source\": " + archive(package, "source", "");
    text += '}';
  }
  return text + "}";
}

CheckedManifest read(const std::string& text, const std::string& file, char digest) {
  std::vector<Finding> findings;
  auto manifest = read_manifest(text, file, findings);
  REQUIRE(manifest);
  REQUIRE(findings.empty());
  return {*std::move(manifest), std::string(64, digest)};
}

} // namespace

TEST_CASE("a lock of the manifest that is emitted for Nixpkgs has the same archives") {
  std::mt19937 random(40);
  for (int round = 0; round < 200; ++round) {
    const std::string text = manifest_text(random);
    Wish wish{{"linux-x86_64"}, {}, random() % 2 == 0 ? "12" : "13", {}};
    if (random() % 2 == 0)
      wish.platforms.emplace_back("linux-sbsa");
    const CheckedManifest full = read(text, "cudnn/redistrib_9.1.1.json", 'e');
    const auto lock = selection(facts_of_data(), std::span(&full, 1), wish);
    REQUIRE_MESSAGE(lock, lock.error().message);
    const std::string made = emitted(nixpkgs_text, lock->lock);
    const CheckedManifest part = read(made, "redistrib_9.1.1.json", 'f');
    CHECK(part.manifest.reduced_from.sha256.value == full.sha256);
    wish.cuda_variant.clear(); // there is one archive of each package and platform
    const auto again = selection(facts_of_data(), std::span(&part, 1), wish);
    REQUIRE_MESSAGE(again, again.error().message);
    CHECK(again->lock.archives == lock->lock.archives);
    std::vector<Finding> findings;
    check_manifest(part.manifest, facts_of_data(), findings);
    CHECK(most_severe(findings).value_or(Severity::note) != Severity::error);
    CHECK(check_against(lock->lock, std::span(&part, 1), findings = {}) == 1);
    CHECK(findings.empty());
    // An archive that was not locked makes it another manifest.
    const CheckedManifest all = read(made.substr(0, made.rfind('}')) + R"(,
      "added": {"version": "1.0", "linux-x86_64": {"relative_path": "added/linux-x86_64/a-1.0-archive.tar.xz",
      "sha256": ")" + std::string(64, 'a') +
                                         R"(", "md5": ")" + std::string(32, 'a') + R"(", "size": "9"}}})",
                                     "redistrib_9.1.1.json", 'f');
    check_against(lock->lock, std::span(&all, 1), findings = {});
    REQUIRE(findings.size() == 1);
    CHECK(findings.front().rule == Rule::replaced_manifest);
    CHECK(findings.front().package == "added");
  }
}

TEST_CASE("a manifest for Nixpkgs has the keys of NVIDIA's, and where its archives were listed") {
  Lock lock = cudnn_lock();
  lock.manifests[0].url = "https://example.org/cudnn/redistrib_9.1.1.json";
  lock.archives[0].name = "NVIDIA CUDA Deep Neural Network library";
  lock.archives[0].md5 = std::string(32, 'c');
  const std::string text = emitted(nixpkgs_text, lock);
  CHECK(text.starts_with("{\n    \"release_date\": \"2024-05-02\",\n    \"release_label\": \"9.1.1\",\n"
                         "    \"release_product\": \"cudnn\",\n    \"release_reduced_from\": {\n"
                         "        \"url\": \"https://example.org/cudnn/redistrib_9.1.1.json\",\n"
                         "        \"base\": \"https://example.org/cudnn/\",\n        \"sha256\": \"0000"));
  CHECK(text.find(R"(    "cudnn": {
        "name": "NVIDIA CUDA Deep Neural Network library",
        "license": "cudnn",
        "version": "9.1.1.17",
        "cuda_variant": [
            "12"
        ],
        "linux-sbsa": {
            "cuda12": {
                "relative_path": "cudnn/linux-sbsa/c.tar.xz",
)") != std::string::npos);
  CHECK(text.find("\"md5\": \"cccc") < text.find("\"size\": \"7\""));
}

TEST_CASE("what no manifest can have is not emitted as one") {
  Lock two = cudnn_lock();
  two.manifests.push_back({"cuda", "12.4.1", {}, std::string(64, '0'), "https://example.org/cuda/"});
  CHECK(emitted(nixpkgs_text, two) ==
        "a manifest is for one release of one product, and the lock has cudnn 9.1.1, cuda 12.4.1 | name the "
        "product with --product");
  two.manifests[1].product = "cudnn";
  CHECK(emitted(nixpkgs_text, two).ends_with("make a lock of one release"));
  CHECK(emitted(nixpkgs_text, {}).starts_with("the lock is empty"));
  const auto edited = [](auto edit) {
    Lock lock = cudnn_lock();
    edit(lock.archives);
    return emitted(nixpkgs_text, lock);
  };
  CHECK(edited([](auto& all) { all[1].package = "release_date"; }).find("a package that no manifest has") !=
        std::string::npos);
  CHECK(edited([](auto& all) { all[1].platform = "version"; }).find("of which a manifest has no name") !=
        std::string::npos);
  CHECK(edited([](auto& all) {
          all.push_back(all[1]);
          all[2].version = "1";
        }).find("with another version, too") != std::string::npos);
  CHECK(edited([](auto& all) {
          all.insert(all.begin(), all[0]);
          all[0].variant.clear();
        }).find("is in the lock twice") != std::string::npos);
  for (const std::size_t index : {0U, 1U})
    CHECK(edited([&](auto& all) { all.push_back(all[index]); }).find("is in the lock twice") !=
          std::string::npos);
}
