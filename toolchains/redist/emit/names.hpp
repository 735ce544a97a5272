// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/redist/lock.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::redist {

/// The last name of an archive's path: `cuda_cudart-linux-sbsa-12.4.127-archive.tar.xz`.
std::string file_name(const LockedArchive& archive);

/// That without `.tar.xz` and the like: the archive's top directory, as far as NVIDIA's archives keep
/// their rule.
std::string stem(const LockedArchive& archive);

/// The base of the archive's manifest.
std::string base_of(const Lock& lock, const LockedArchive& archive);

/// `cudnn_cuda12_linux_x86_64`: package, variant and platform, with `separator` in place of all that is
/// neither a letter nor a digit. An error if two archives of the lock get the same name.
Result<std::vector<std::string>> identifiers(const Lock& lock, char separator);

/// In quotation marks, for JSON, YAML 1.2, and Starlark.
std::string quoted_json(std::string_view text);

/// The first line of what is made: how it was made.
inline constexpr const char* made_by =
    "Made by `hostpin redist emit` from a lock. Make it again instead of editing it.";

} // namespace hostpin::redist
