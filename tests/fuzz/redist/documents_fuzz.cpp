// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists of releases and feature manifests, as JSON. Whatever is read has positions within the text, hashes
// that are reported or convert to 64 digits, and reports that are written.
#include "tests/fuzz/fuzz.hpp"
#include "toolchains/redist/check/feature_manifest.hpp"
#include "toolchains/redist/check/releases.hpp"
#include "toolchains/redist/check/report.hpp"
#include "toolchains/redist/lock.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

using namespace hostpin::redist;

namespace {

hostpin::Platform platform(const char* name, const char* machine, const char* format) {
  hostpin::Platform made;
  made.name = name;
  made.machine = machine;
  made.format = format;
  return made;
}

const Facts& some_facts() {
  static const Facts facts = [] {
    Facts made;
    made.platforms = {platform("linux-sbsa", "aarch64", "tar"),
                      platform("windows-x86_64", "x86_64-pe", "zip")};
    return made;
  }();
  return facts;
}

void check_positions(const std::vector<Finding>& findings, std::string_view text) {
  const auto lines = static_cast<unsigned>(1 + std::ranges::count(text, '\n'));
  for (const Finding& one : findings)
    if (one.at.line == 0 || one.at.line > lines || one.at.column > text.size() + 1)
      std::abort();
}

void read_as_releases(const hostpin::document::Value& json, std::vector<Finding>& findings) {
  const Releases releases = read_releases(json, "releases.json", findings);
  check_releases_file(releases, some_facts(), findings);
  for (const ListedRelease& one : releases.releases) {
    const std::string hex = hex_of_sri(one.hash.value);
    const bool is_found = std::ranges::any_of(
        findings, [&](const Finding& found) { return found.rule == Rule::malformed_hash; });
    if (hex.empty() ? one.hash.is_present() && !is_found : !is_hex_digest(hex, 64))
      std::abort();
  }
}

} // namespace

std::vector<std::string> seeds() {
  const std::string hash = "sha256-BJH3sC9VwiB362eL8xTB+RdSS9UHz1tlgjm/mKRyM6E=";
  return {
      R"({"product": "p", "releases": {"linux-sbsa": [{"version": "1.2", "minCudaVersion": "12.0",
 "maxCudaVersion": "12.8", "cudnnVersion": null, "url": "https://e.org/p-linux-sbsa-1.2.tar.xz", "hash": ")" +
          hash + "\"}], \"windows-x86_64\": []}}",
      R"({"linux-sbsa": [{"filename": "T-1.aarch64.tar.gz", "version": "1", "hash": "sha256-"}]})",
      R"({"a": {"linux-sbsa": {"outputs": {"lib": true, "bin": false}}, "source": {"cuda12": {"outputs": {}}}}})",
      R"({"a": {"packages": {"linux-sbsa": {"None": {"features": {"outputs": ["lib"], "cudaArchitectures":
 {"11": ["sm_90"]}}, "recursiveHash": ")" +
          hash +
          R"(", "relativePath": "a/b"}}}, "releaseInfo": {"version": "1", "name": "n", "license": "l"}}})"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto json = hostpin::document::parse_json(text);
  if (!json)
    return 0;
  std::vector<Finding> findings;
  // Each reader takes any value: what a file is, is decided by a few keys.
  read_as_releases(*json, findings);
  const FeatureManifest features = read_feature_manifest(*json, "features.json", findings);
  for (const ListedFeatures& one : features.archives)
    if (!std::ranges::is_sorted(one.outputs))
      std::abort();
  check_positions(findings, text);
  sort(findings);
  if (report_json(findings, 1).empty() || report_sarif(findings, "1").empty())
    std::abort();
  return 0;
}
