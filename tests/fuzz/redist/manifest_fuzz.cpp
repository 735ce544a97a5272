// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A manifest. Whatever is read has positions within the text, and what is not JSON is a finding.
#include "tests/fuzz/fuzz.hpp"
#include "toolchains/redist/manifest.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

using namespace hostpin::redist;

std::vector<std::string> seeds() {
  return {R"({"release_label": "1", "p": {"version": "1", "cuda_variant": ["12"], "linux-sbsa": {"cuda12": {
  "relative_path": "p/a", "sha256": "00", "md5": "", "size": "12"}}, "source": {"relative_path": "s", "sha256": ""}}})",
          R"({"a": [1, -2.5e3, null, true, false, "\u00e9\\\""], "a": {}})", "[[[]]]", "\"x\"", "7"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<Finding> findings;
  const auto manifest = read_manifest(text, "product/redistrib_1.json", findings);
  if (!manifest && findings.empty())
    std::abort();
  const auto lines = static_cast<unsigned>(1 + std::ranges::count(text, '\n'));
  for (const Finding& one : findings)
    if (one.at.line == 0 || one.at.line > lines || one.at.column > size + 1)
      std::abort();
  return 0;
}
