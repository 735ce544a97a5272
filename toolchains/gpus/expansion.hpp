// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/base/version.hpp"
#include "toolchains/gpus/compatibility.hpp"
#include "toolchains/gpus/gpus.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::gpus {

/// What is compiled for one capability: machine code, PTX, or both.
struct GpuTarget {
  Capability capability;
  bool cubin = true;
  bool ptx = false;

  bool operator==(const GpuTarget&) const = default;
};

/// The note that concerns only an expansion's spelling for CMake.
constexpr const char* note_for_cmake =
    "older CMake releases, such as 3.25, refuse `f` variants in CMAKE_CUDA_ARCHITECTURES";

struct GpuExpansion {
  std::vector<GpuTarget> targets; ///< ascending, unique, not empty
  std::vector<std::string> notes; ///< what a reader of the list may not expect
  /// The capability whose PTX was added for later GPUs, if the list did not have any.
  std::optional<Capability> added_ptx = std::nullopt;

  /// True if some of its code runs on GPUs later than all listed ones.
  bool is_forward_compatible() const;
};

/// Which GPUs are in the machines that a toolkit's target is for.
enum class TargetGpus {
  one_kind, ///< it is not known: Jetsons or others, but not both, because they are different machines
  jetsons,  ///< only Jetsons: NVIDIA's platform linux-aarch64
  others,   ///< no Jetsons
  both,     ///< linux-sbsa from CUDA 13.0 on, when Jetsons began to run its programs
};

struct ExpansionTerms {
  const std::vector<Gpu>& gpus;
  /// Its version; without one, capabilities are only compared with the table, and keywords that depend on the
  /// toolkit are refused.
  std::optional<Version> toolkit;
  /// Adds PTX of the newest baseline capability if the list has none that later GPUs can use.
  bool forward_compatible = true;
  /// The capabilities of this machine's GPUs; called for `native` only.
  std::function<Result<std::vector<Capability>>()> native;
  /// The command that lists what the toolkit supports, for hints.
  std::string command = "hostpin capabilities";
  TargetGpus target_gpus = TargetGpus::one_kind;
  std::string target = {}; ///< name of its platform, for messages: `linux-sbsa`
};

/// What a list means for a toolkit. A list is capabilities separated by `;`, `,` or blanks, each such as
/// `8.6`, `9.0a`, `9.0+ptx` or, for PTX only, `9.0-virtual`; or one keyword: `all` (everything the toolkit
/// supports except Jetsons, or only those if the target is for them, and no variants), `all-major` (the
/// lowest of each major of these), `default` (all without retired ones), `native`. Upper case is accepted.
/// The error lists what is wrong with it, item by item.
Result<GpuExpansion> expand(std::string_view list, const ExpansionTerms& terms);

/// True if the meaning of the list depends on the toolkit: it is one of the first three keywords.
bool depends_on_toolkit(std::string_view list);

} // namespace hostpin::gpus
