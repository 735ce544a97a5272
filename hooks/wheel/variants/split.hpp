// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/wheel/archive/wheel_writer.hpp"
#include "hooks/wheel/judge/judge.hpp"
#include "hooks/wheel/variants/format.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hostpin::wheel {

struct Splitting {
  std::vector<gpus::Capability> gpus; ///< one variant each; baselines, ascending
  bool may_change_nvidia = false;     ///< also files of NVIDIA's, whose licence forbids that otherwise
  int level = 6;                      ///< zlib's, of what changes
  unsigned threads = 1;
  std::string scratch = "/tmp"; ///< a directory for temporary files
};

/// A file that was left as it is.
struct LeftFile {
  std::string member;
  std::string reason;
};

/// A wheel that was written.
struct WrittenVariant {
  std::string path, label;
  Properties properties;
  std::uint64_t size = 0; ///< bytes
};

struct SplitResult {
  std::vector<WrittenVariant> wheels; ///< the null variant last
  std::string variants_file;          ///< path of `{name}-{version}-variants.json`
  std::vector<LeftFile> left;
};

/// Writes a variant of a wheel for each GPU, with the device code of that GPU in its programs and libraries,
/// the null variant with all of it, and the file that describes them, which may have variants of other wheels
/// of the version already. Each variant is compared with the wheel: its GPU gets the same code of every
/// fatbin, and another GPU that an installer would give it to loses nothing. Files appear when all are
/// complete; the same input gives the same bytes. The error names the variant and what it lacks.
Result<SplitResult> split(const std::string& path, const Tables& tables, const Splitting& how,
                          const std::string& directory);

} // namespace hostpin::wheel
