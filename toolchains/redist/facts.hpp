// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin::redist {

/// A product of NVIDIA's, as the directory on its server is called.
struct Product {
  std::string name; ///< `cuda`
  std::string base; ///< URL that paths of archives are below, ending with a slash
};

/// A platform of manifests; empty strings: it has no such name.
struct Platform {
  std::string name;      ///< `linux-sbsa`
  std::string target;    ///< directory below a toolkit's `targets/`: `sbsa-linux`
  std::string triple;    ///< `aarch64-linux-gnu`
  std::string nix;       ///< `aarch64-linux`
  std::string debian;    ///< `arm64`
  std::string machine;   ///< `x86_64`, `aarch64`, `ppc64le`; of PE files with `-pe`
  std::string format;    ///< `tar` or `zip`
  bool jetson = false;   ///< its GPUs are those of Jetson
  std::string last_cuda; ///< the last CUDA release that has it; empty if the newest one does
};

/// `data/redist.toml` and `data/platforms.toml`.
struct Facts {
  std::vector<Product> products;
  std::vector<Platform> platforms;

  /// Null if there is no row of this name.
  const Platform* platform(std::string_view name) const;
  const Product* product(std::string_view name) const;
};

/// Reads them from the directory of the data files.
Result<Facts> load_facts(const Files& files, const std::string& directory);

} // namespace hostpin::redist
