// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/base/version.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// What a toolkit has for programs of another machine than the machine that its nvcc runs on.
struct ToolkitTarget {
  std::string triple;   ///< of the stdenv: `aarch64-linux-gnu`
  std::string platform; ///< NVIDIA's name: `linux-sbsa`
  /// Directory below `targets/` and value of nvcc's `-target-dir`: `sbsa-linux`; empty: the toolkit's own
  /// `include` and `lib64` are the target's.
  std::string name;
  std::string directory;              ///< absolute; contains `include` and `lib`
  std::string machine;                ///< `aarch64`
  std::vector<std::string> libraries; ///< directories that nvcc passes to a link, in order
  /// Other platforms of this triple whose files the toolkit has too: `linux-aarch64`; filled in by
  /// `toolkit_for` only.
  std::vector<std::string> alternatives = {};
};

/// Driver options by which a cross linker finds the toolkit's libraries that other libraries need; without
/// the stubs, which nothing needs by a path.
std::vector<std::string> rpath_links(const ToolkitTarget& target);

/// A CUDA toolkit as its own nvcc describes it.
struct Toolkit {
  std::string root;        ///< nvcc's TOP, normalised and with symlinks resolved
  std::string nvcc;        ///< the real nvcc: an absolute path that can be executed with argv[0] equal to it
  Version version;         ///< release and patch, such as 12.4.131 (`V12.4.131`)
  std::string origin;      ///< `--toolkit`, `$CUDA_HOME`, `PATH`, ...
  std::string host_config; ///< crt/host_config.h as nvcc's include path finds it; empty if there is none
  std::vector<std::string> include_directories; ///< nvcc's own, in order
  std::string profile_host;            ///< compiler-bindir set by its nvcc.profile; empty if there is none
  std::optional<ToolkitTarget> target; ///< nothing: for the machine that nvcc runs on
  std::vector<std::string> files;      ///< dependencies of this description, absolute paths
};

/// What nvcc prints about itself in a dry call with `-v`.
using NvccSettings = std::map<std::string, std::string, std::less<>>;

/// The `#$ NAME=value` lines of such a call; the last value of a name is used.
NvccSettings nvcc_settings(std::string_view errors);

/// Sets what depends on nvcc's include path. False if crt/host_config.h is not on it.
bool take_include_path(Toolkit& toolkit, const NvccSettings& settings, const Files& files);

/// The directories of `"-I/a b" -L/c "-isystem" "/d"`.
std::vector<std::string> directories_of_flags(std::string_view flags);

/// The dry call: nvcc prints its settings and stops, because its input does not exist, but only after it has
/// queried some host compiler, and there may be no plain `gcc` on PATH. `preprocessor`: that compiler; empty:
/// the `gcc` on PATH.
Command settings_command(const std::string& nvcc, const std::string& preprocessor);

/// A toolkit as a user named it: its directory, its nvcc or its release; and with what (`--toolkit`,
/// `configuration`).
struct NamedToolkit {
  std::string path;
  std::string by;
  bool is_release = false; ///< `path` is a release such as `12.4`: the first of those that are found
};

/// `12.4` is a release unless the current directory has a file of that name.
NamedToolkit named_toolkit(const Files& files, const std::string& name, const std::string& by);

/// An nvcc that may belong to a usable toolkit; a probe decides.
struct ToolkitCandidate {
  std::string nvcc; ///< absolute, symlinks not resolved
  std::string origin;
};

/// A toolkit that was named or found and cannot be used, with the reason as text.
struct ToolkitRejection {
  std::string path;
  std::string origin;
  std::string reason;
  ErrorKind kind = ErrorKind::other;
};

struct ToolkitSearch {
  std::vector<ToolkitCandidate> candidates; ///< in order of precedence
  std::vector<ToolkitRejection> rejected;   ///< named ones without an nvcc
  std::vector<std::string> looked;          ///< directories that were searched, existing or not
};

/// Searches for toolkits, in order of precedence: `named`, `configured`, CUDAToolkit_ROOT, CUDA_HOME,
/// CUDA_PATH, an nvcc on PATH that is not hostpin's, the usual directories, pip's and conda's layouts, the
/// HPC SDK.
ToolkitSearch find_toolkits(const Files& files, const Environment& environment,
                            const std::optional<NamedToolkit>& named,
                            const std::vector<std::string>& configured, const IsOwn& is_own);

struct ToolkitSurvey {
  std::vector<Toolkit> toolkits;          ///< usable and distinct, in order of precedence
  std::vector<ToolkitRejection> rejected; ///< rejected by the search, and toolkits that did not answer
};

/// The candidates to probe. If one directory has several names, such as /usr/local/cuda and
/// /usr/local/cuda-13.0, only the first is probed, because the answers would be the same.
std::vector<ToolkitCandidate> distinct_candidates(const Files& files, const ToolkitSearch& search);

/// The commands that print the versions, which need no host compiler.
std::vector<Command> version_commands(std::span<const ToolkitCandidate> candidates);

/// Probes every nvcc, in one batch. Two paths to one real nvcc count once, under the first origin. nvcc
/// prints its location only if some host compiler works: `preprocessor` is that driver; empty: the `gcc` on
/// PATH, nvcc's default. `versions`: outcomes of `version_commands` for `distinct_candidates`.
ToolkitSurvey probe_toolkits(const Files& files, const Processes& processes, const ToolkitSearch& search,
                             std::span<const Outcome> versions, const std::string& preprocessor);

/// The same, with the versions queried first.
ToolkitSurvey probe_toolkits(const Files& files, const Processes& processes, const ToolkitSearch& search,
                             const std::string& preprocessor);

/// A text for each variable that names no usable toolkit and would have decided before `chosen`.
std::vector<std::string> ignored_variables(const ToolkitSurvey& survey, const Toolkit& chosen);

/// The toolkit to use: the named one, which must be usable, else the first. The error lists what was
/// rejected, and why; for a release that was not found, what was found.
Result<Toolkit> chosen_toolkit(const ToolkitSurvey& survey, const std::optional<NamedToolkit>& named);

/// Parses one nvcc's answers to `--version` and to a dry call with `-v`; the error is the reason as text.
Result<Toolkit> read_toolkit(const Files& files, const ToolkitCandidate& candidate, const Outcome& version,
                             const Outcome& verbose);

} // namespace hostpin
