// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/document/json.hpp"
#include "toolchains/redist/facts.hpp"
#include "toolchains/redist/finding.hpp"
#include "toolchains/redist/manifest.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin::redist {

/// One archive of a release expression.
struct ListedRelease {
  std::string platform; ///< `linux-sbsa`
  Text version;
  Text min_cuda, max_cuda;   ///< CUDA releases that it is for, both ends inclusive
  Text cudnn;                ///< that TensorRT needs; absent for cuDNN
  Text location;             ///< `url`, or `filename`
  bool is_file_name = false; ///< `location` is a `filename`
  Text hash;                 ///< SRI: `sha256-` and base64
  Position at;
};

/// A list of releases that is written by hand, as Nixpkgs had for cuDNN and TensorRT: by platform the
/// versions, with URL or file name, hash and the range of CUDA releases.
struct Releases {
  std::string file;    ///< as it was named
  std::string product; ///< empty if the file does not say
  std::vector<ListedRelease> releases;
};

/// Whether an object is a list of releases: it has `releases`, or arrays by platform only.
bool is_releases(const document::Value& json);

/// Reads it; what does not follow the format is appended to `findings` (duplicate-key, wrong-type) and left
/// out.
Releases read_releases(const document::Value& json, const std::string& file, std::vector<Finding>& findings);

/// Appends malformed-hash, wrong-format, version-in-name and unsafe-path.
void check_releases_file(const Releases& releases, const Facts& facts, std::vector<Finding>& findings);

/// The 64 hexadecimal digits of an SRI hash `sha256-BASE64`; empty if it is not one.
std::string hex_of_sri(std::string_view sri);

} // namespace hostpin::redist
