// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/version.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin::lto {

/// Which release wrote a version of a stream.
struct StreamRelease {
  Version release; ///< of GCC, or of the CUDA toolkit
  Version stream;  ///< of GCC's bytecode, or of the LTO-IR's container
  std::string source;
};

/// The known releases; each list ascends by both numbers.
struct StreamReleases {
  std::vector<StreamRelease> gcc, cuda;
};

/// Reads lto.toml of `directory`. Errors carry `file:line:column`.
Result<StreamReleases> load_stream_releases(const Files& files, const std::string& directory);

/// The first and the last release that is known to write that version; nothing if there is none.
std::optional<std::string> writers_of(const std::vector<StreamRelease>& releases, const Version& stream);

} // namespace hostpin::lto
