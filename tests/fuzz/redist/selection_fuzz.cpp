// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selecting from whatever manifest: without an error in it, the lock is one that can be read, or there is a
// message.
#include "tests/fuzz/fuzz.hpp"
#include "toolchains/redist/check/manifest_rules.hpp"
#include "toolchains/redist/select/selection.hpp"

#include <cstdlib>
#include <string_view>

using namespace hostpin::redist;

std::vector<std::string> seeds() {
  const std::string digest(64, 'a');
  return {
      R"({"release_label": "1", "p": {"version": "1", "linux-sbsa": {"cuda11": {"relative_path": "p/a", "sha256": ")" +
          digest + R"("}, "cuda12": {"relative_path": "p/b", "sha256": ")" + digest + R"("}}}})",
      R"({"p": {"version": "1", "linux-all": {"relative_path": "p", "sha256": ")" + digest +
          R"(", "size": "3"}}, "q": {"version": "2", "source": {"relative_path": "q", "sha256": ")" + digest +
          R"("}}})"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<Finding> findings;
  auto manifest = read_manifest(std::string_view(reinterpret_cast<const char*>(data), size),
                                "cuda/redistrib_1.json", findings);
  if (!manifest)
    return 0;
  const std::vector<CheckedManifest> sources{{*std::move(manifest), std::string(64, '0')}};
  check_manifest(sources.front().manifest, {}, findings);
  check_releases(sources, {}, findings);
  if (most_severe(findings) == Severity::error)
    return 0;
  Facts facts;
  facts.products.push_back({"cuda", "https://example.org/", {}, {}, {}});
  for (const std::vector<std::string>& packages : {std::vector<std::string>{}, {"p"}}) {
    const auto selected = selection(facts, sources, {{"linux-sbsa"}, packages, {}, {}});
    if (selected ? !read_lock(lock_text(selected->lock), "lock") : selected.error().message.empty())
      std::abort();
  }
  return 0;
}
