// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/redist/select/selection.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace hostpin::redist {

/// A manifest as text, read without any finding, under the name `PRODUCT/redistrib_LABEL.json`.
inline CheckedManifest source_of(const std::string& file, const std::string& text) {
  std::vector<Finding> findings;
  auto manifest = read_manifest(text, file, findings);
  if (!manifest || !findings.empty())
    throw std::invalid_argument(file + ": " + (findings.empty() ? "" : findings.front().explanation));
  return {*std::move(manifest), std::string(64, '0')};
}

/// A package with one archive for each of the platforms, each with a hash made from `digit`.
inline std::string package_text(const std::string& key, const std::string& version,
                                const std::vector<std::string>& platforms, char digit = 'a') {
  std::string text = '"' + key + R"(": {"license": "L", "version": ")" + version + '"';
  for (const std::string& platform : platforms)
    text += ", \"" + platform + R"(": {"relative_path": ")" + key + '/' + platform + '/' + key + '-' +
            platform + '-' + version + R"(-archive.tar.xz", "sha256": ")" +
            std::string(64 - std::min<std::size_t>(platform.size(), 60), digit) +
            std::string(std::min<std::size_t>(platform.size(), 60), '0') + R"(", "size": "1000"})";
  return text + '}';
}

} // namespace hostpin::redist
