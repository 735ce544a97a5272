// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/terminal.hpp"
#include "toolchains/devicecode/slimming.hpp"
#include "toolchains/fatbin/inventory.hpp"
#include "wrapper/devicecode/commands.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin::command {

/// What became of one file.
enum class SlimOutcome {
  changed,
  unchanged, ///< all of its device code stays
  vendor,    ///< NVIDIA's, which its licence forbids to alter
  refused,   ///< it cannot be changed safely, or not at all
};

/// `changed`, `unchanged`, `vendor`, `refused`.
const char* word_of(SlimOutcome outcome);

/// A file with device code.
struct SlimmedFile {
  std::string path;
  SlimOutcome outcome = SlimOutcome::unchanged;
  std::string reason; ///< why it was not changed, as the end of a sentence; empty if it could be
  devicecode::Slimming numbers{};
};

/// Everything that `fatbin slim` prints.
struct SlimAnswer {
  const SlimOptions& options;
  std::vector<gpus::GpuTarget> keep;
  std::vector<SlimmedFile> files;
  bool tree = false;
  bool written = true; ///< false: the outcomes and numbers are what would have been

  devicecode::Slimming sum() const;
  std::size_t count(SlimOutcome outcome) const;
  /// Whether the file is a reason for exit code 1: it is refused, or a GPU finds nothing in it. NVIDIA's
  /// files in a tree are expected there.
  bool is_objection(const SlimmedFile& file) const;
  /// Whether nothing may be written.
  bool forbids() const;
};

/// The size of each file and of the device code in it for each GPU, before and after.
std::string slim_text(const SlimAnswer& answer, const Terminal& terminal);

/// The same as JSON; the schema is in wrapper/devicecode/README.md.
std::string slim_json(const SlimAnswer& answer);

/// Which GPUs have no code in which fatbins of a file.
Error unserved_error(const SlimmedFile& file, const gpus::Capability& gpu);

/// The arguments of `fatbin slim` after which a program or shared library contains exactly what is expected;
/// nothing if slimming cannot achieve that.
std::optional<std::string> slim_arguments(const fatbin::FileInventory& file,
                                          const gpus::GpuExpansion& expected,
                                          const std::vector<gpus::Gpu>& gpus);

} // namespace hostpin::command
