// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/own_programs.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/toolkit/toolkit.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hostpin {

/// A toolkit as a user named it: its directory or its nvcc; and who says so (`--toolkit`, `configuration`).
struct NamedToolkit {
  std::string path;
  std::string by;
};

/// An nvcc that may belong to a usable toolkit; only asking it tells.
struct ToolkitCandidate {
  std::string nvcc; ///< absolute, symlinks kept
  std::string origin;
};

/// A toolkit that was named or found and cannot be used, with the reason in words.
struct ToolkitRejection {
  std::string path;
  std::string origin;
  std::string reason;
};

struct ToolkitSearch {
  std::vector<ToolkitCandidate> candidates; ///< in order of precedence
  std::vector<ToolkitRejection> rejected;   ///< named ones without an nvcc
  std::vector<std::string> looked;          ///< directories looked into, present or not
};

/// Where toolkits are: `named`, `configured`, CUDAToolkit_ROOT, CUDA_HOME, CUDA_PATH, an nvcc on PATH that is
/// not ours, the usual places, pip's and conda's layouts, the HPC SDK; in this order, which is that of
/// precedence.
ToolkitSearch find_toolkits(const Files& files, const Environment& environment,
                            const std::optional<NamedToolkit>& named,
                            const std::vector<std::string>& configured, const IsOwn& is_own);

struct ToolkitSurvey {
  std::vector<Toolkit> toolkits;          ///< usable and distinct, in order of precedence
  std::vector<ToolkitRejection> rejected; ///< those of the search and those that did not answer
};

/// The candidates that are to be asked: of those that lie in one directory by several names, such as
/// /usr/local/cuda beside /usr/local/cuda-13.0, the first, for nothing that they could answer differs.
std::vector<ToolkitCandidate> distinct_candidates(const Files& files, const ToolkitSearch& search);

/// Has each tell its version, which needs no host compiler.
std::vector<Command> version_commands(std::span<const ToolkitCandidate> candidates);

/// Asks every nvcc, all in one round. Two ways to one real nvcc count once, under the first origin. nvcc
/// tells where it is only if some host compiler works: `preprocessor` is that driver; empty: the `gcc` on
/// PATH, as nvcc itself would take. `versions`: outcomes of `version_commands` for `distinct_candidates`.
ToolkitSurvey probe_toolkits(const Files& files, const Processes& processes, const ToolkitSearch& search,
                             std::span<const Outcome> versions, const std::string& preprocessor);

/// The same, with the versions asked in a round before.
ToolkitSurvey probe_toolkits(const Files& files, const Processes& processes, const ToolkitSearch& search,
                             const std::string& preprocessor);

/// The toolkit to use: the named one, which must be usable, else the first. The error lists what was turned
/// down and why.
Result<Toolkit> chosen_toolkit(const ToolkitSurvey& survey, const std::optional<NamedToolkit>& named);

/// What one nvcc's answers to `--version` and to a dry call with `-v` say; the error is the reason in words.
Result<Toolkit> read_toolkit(const Files& files, const ToolkitCandidate& candidate, const Outcome& version,
                             const Outcome& verbose);

} // namespace hostpin
