// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tests/shipped_data.hpp"
#include "toolchains/redist/check/release_rules.hpp"
#include "toolchains/redist/facts.hpp"
#include "toolchains/redist/manifest.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace hostpin::redist {

inline const std::string hash_a(64, 'a'), hash_b(64, 'b'), md5_a(32, 'a');

inline const Facts& real_facts() {
  static const Result<Facts> facts = load_facts(DiskFiles(), hostpin::test::shipped_data());
  REQUIRE_MESSAGE(facts, facts.error().message);
  return *facts;
}

/// One archive of a manifest in NVIDIA's form.
inline std::string archive_json(const std::string& path, const std::string& sha256 = hash_a,
                                const std::string& md5 = md5_a, const std::string& size = "52") {
  return R"({"relative_path": ")" + path + R"(", "sha256": ")" + sha256 + R"(", "md5": ")" + md5 +
         R"(", "size": ")" + size + "\"}";
}

/// A package without variants for one platform, its archive named as NVIDIA does.
inline std::string package_json(const std::string& key, const std::string& version = "12.4.131",
                                const std::string& platform = "linux-x86_64",
                                const std::string& sha256 = hash_a) {
  const std::string ext = platform.starts_with("windows") ? ".zip" : ".tar.xz";
  return '"' + key + R"(": {"name": "N", "license": "CUDA Toolkit", "license_path": ")" + key +
         R"(/LICENSE.txt", "version": ")" + version + "\",\n\"" + platform + "\": " +
         archive_json(key + '/' + platform + '/' + key + '-' + platform + '-' + version + "-archive" + ext,
                      sha256) +
         '}';
}

inline std::string manifest_json(const std::string& packages, const std::string& label = "12.4.1",
                                 const std::string& product = "cuda") {
  return R"({"release_date": "2024-04-16", "release_label": ")" + label + R"(", "release_product": ")" +
         product + "\",\n" + packages + '}';
}

inline CheckedManifest checked(const std::string& text,
                               const std::string& file = "cuda/redistrib_12.4.1.json") {
  std::vector<Finding> findings;
  auto manifest = read_manifest(text, file, findings);
  REQUIRE(manifest);
  REQUIRE(findings.empty());
  return {*std::move(manifest), hash_b};
}

/// `RULE SUBJECT`, separated by `; `.
inline std::string listed(std::vector<Finding> findings) {
  sort(findings);
  std::string text;
  for (const Finding& one : findings)
    text += (text.empty() ? "" : "; ") + std::string(text_of(one.rule).name) + ' ' + one.subject;
  return text;
}

} // namespace hostpin::redist
