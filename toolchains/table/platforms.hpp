// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// A platform that NVIDIA publishes CUDA for, and what others call it; empty strings: it has no such name.
struct Platform {
  std::string name;      ///< in manifests: `linux-sbsa`
  std::string target;    ///< directory below a toolkit's `targets/`: `sbsa-linux`
  std::string triple;    ///< `aarch64-linux-gnu`
  std::string nix;       ///< `aarch64-linux`
  std::string debian;    ///< `arm64`
  std::string machine;   ///< `x86_64`, `aarch64`, `ppc64le`; of PE files with `-pe`
  std::string format;    ///< of archives: `tar` or `zip`
  bool jetson = false;   ///< its GPUs are Jetson's
  std::string last_cuda; ///< the last CUDA release that has it; empty if the newest one does
  std::string conda;     ///< selector of conda-build: `linux64`
  /// NVIDIA's package with the target's files for another machine, with `{cuda}` for `12-4`; empty: none.
  std::string cross_package;
};

/// Reads `directory`/platforms.toml.
Result<std::vector<Platform>> load_platforms(const Files& files, const std::string& directory);

/// The row of that name (`linux-sbsa`); null if there is none.
const Platform* platform_named(const std::vector<Platform>& platforms, std::string_view name);

/// The rows of the triple's architecture and system, in the order of the file: with `aarch64-linux-gnu` (or
/// any other triple of that architecture, such as Yocto's) the platforms of sbsa and of Jetson.
std::vector<const Platform*> platforms_of(const std::vector<Platform>& platforms, std::string_view triple);

/// The first part of a triple: `aarch64`.
std::string_view architecture_of(std::string_view triple);

} // namespace hostpin
