// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/document/json.hpp"
#include "toolchains/redist/finding.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::redist {

/// A string of a manifest, with its position; empty with zeros as the position if the key is absent.
struct Text {
  std::string value;
  Position at;

  bool is_present() const { return at.line != 0; }
};

/// One archive that a manifest names.
struct Archive {
  std::string platform; ///< NVIDIA's name, `linux-x86_64`; `source` for archives that fit every platform
  std::string variant;  ///< `cuda12` or `cuda13.3`; empty if there is one archive for all CUDA releases
  Text path;            ///< below the product's directory, with slashes
  Text sha256;          ///< as in the file: 64 hexadecimal digits if it is well-formed
  Text md5;             ///< likewise, 32; made by hand some manifests have none
  std::optional<std::uint64_t> size; ///< bytes
  Position size_at;
  Position at; ///< of the key of the platform, or of the variant
};

struct Package {
  std::string key; ///< `cuda_nvcc`
  Position at;
  Text name; ///< as in `CUDA NVCC`
  Text license;
  Text license_path;
  Text version;
  std::vector<Text> cuda_variants; ///< `11`, `12`
  std::vector<Archive> archives;   ///< in the order of the file
};

/// The manifest of which `redist emit --for nixpkgs` took a part; empty for others.
struct Whole {
  Text sha256, base, url; ///< as in `LockedManifest`
};

/// One release of a product: a file `redistrib_LABEL.json`.
struct Manifest {
  std::string file;      ///< as it was named
  std::string path = {}; ///< `path_as_published` of it; empty: `file`
  Text date;             ///< `2024-04-16`
  Text label;            ///< of the file itself, see `label_of`
  Text product;          ///< of the file itself, see `product_of`
  Whole reduced_from = {};
  std::vector<Package> packages;
};

/// Reads a manifest in any of the forms that NVIDIA publishes: flat, with CUDA variants or both, with or
/// without label and product. What does not follow the format is appended to `findings` (not-json,
/// duplicate-key, wrong-type) and left out; of members with the same key the last one is taken, as other
/// readers do. Nothing is returned if there is no object to read, which is always a finding.
std::optional<Manifest> read_manifest(std::string_view content, const std::string& file,
                                      std::vector<Finding>& findings);

/// The same for a text that is parsed already.
std::optional<Manifest> read_manifest(const document::Value& json, const std::string& file,
                                      std::vector<Finding>& findings);

/// The label in a name `redistrib_12.4.1.json`; empty if it is not such a name.
std::string label_in_name(std::string_view file);

/// The release label, or the label in the file's name, which older manifests rely on.
std::string label_of(const Manifest& manifest);

/// The product, or the product of its directory; empty if there is neither.
std::string product_of(const Manifest& manifest);

/// The name of the directory that the file is in: NVIDIA has one for each product.
std::string product_of_directory(const Manifest& manifest);

/// The absolute path of a manifest, from which its label and product follow if it does not name them: of a
/// link with another name the path of its target. Empty for a URL and for a file that is not there.
std::string path_as_published(const Files& files, const std::string& file);

/// Whether an archive that is listed for a platform, `linux-all` or `source` can be used on `platform`.
bool serves(std::string_view listed, std::string_view platform);

/// Whether a finding is about archives of these packages that serve one of these platforms, or about the file
/// or a package as a whole. No names mean all.
bool is_about(const Finding& finding, std::span<const std::string> platforms,
              std::span<const std::string> packages = {});

/// The package with this key; null if there is none.
const Package* find_package(const Manifest& manifest, std::string_view key);

} // namespace hostpin::redist
