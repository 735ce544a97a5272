// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/base/version.hpp"
#include "toolchains/gpus/gpus.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// Which GPUs the driver can compile PTX for: that of a baseline for its own and all later ones, of `f`
/// variants within their family, of `a` variants for that capability alone.
enum class PtxReach { later, family, same };
PtxReach reach_of_ptx(const Capability& capability);

/// What is compiled for one capability: machine code, PTX, or both.
struct GpuTarget {
  Capability capability;
  bool cubin = true;
  bool ptx = false;

  bool operator==(const GpuTarget&) const = default;
};

/// The one of an expansion's notes that is of its spelling for CMake alone.
constexpr const char* note_for_cmake =
    "older CMake, 3.25 for one, refuses `f` variants in CMAKE_CUDA_ARCHITECTURES";

struct GpuExpansion {
  std::vector<GpuTarget> targets; ///< ascending, none twice, at least one
  std::vector<std::string> notes; ///< what a reader of the list may not expect
  /// Whose PTX was added for later GPUs, where the list did not ask for it.
  std::optional<Capability> added_ptx = std::nullopt;

  /// Whether some of it runs on GPUs that are later than all that are named.
  bool is_forward_compatible() const;
};

struct ExpansionTerms {
  const std::vector<Gpu>& gpus;
  /// Its version; without one, capabilities are only held against the table, and the words that stand for
  /// what a toolkit takes are refused.
  std::optional<Version> toolkit;
  /// Adds PTX of the newest baseline capability where the list asks for none that later GPUs can use.
  bool forward_compatible = true;
  /// The capabilities of this machine's GPUs; called for `native` only.
  std::function<Result<std::vector<Capability>>()> native;
  /// The command that shows what the toolkit takes, for hints.
  std::string command = "hostpin capabilities";
};

/// What a list means to a toolkit. A list is capabilities with `;`, `,` or blanks between them, each such as
/// `8.6`, `9.0a`, `9.0+ptx` or, for PTX alone, `9.0-virtual`, or one word: `all` (everything the toolkit
/// takes but Jetsons and variants), `all-major` (the lowest of each major of these), `default` (all without
/// those that are retired), `native`; upper case means the same. The error names what is wrong with it, item
/// by item.
Result<GpuExpansion> expand(std::string_view list, const ExpansionTerms& terms);

/// Whether what the list means depends on the toolkit: it is one of those words.
bool depends_on_toolkit(std::string_view list);

} // namespace hostpin
