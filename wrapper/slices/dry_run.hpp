// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hostpin::slices {

enum class Tool { preprocess, cicc, ptxas, tileiras, cudafe, nvlink, fatbinary, compile, link, dependencies };

/// The option with which a tool writes a module id that it makes itself; otherwise it reads one.
inline constexpr std::string_view generates_module_id = "--gen_module_id_file";

/// `cicc`, `ptxas`, ...; for people and records.
std::string_view to_string(Tool tool);

/// One command that nvcc would run.
struct Step {
  Tool tool = Tool::link;
  std::string line;                  ///< for `sh -c`
  std::vector<std::string> words;    ///< the line's words; variables are not expanded
  std::vector<std::string> inputs;   ///< temporary files that it reads
  std::vector<std::string> outputs;  ///< files that it writes, temporary or named by the user
  std::vector<std::string> included; ///< temporary files that its outputs include by name
  std::string gpu;                   ///< `compute_80`, `sm_80`; empty for steps of the host
  std::string source;                ///< the source file as given; empty if the command does not name it
  std::vector<std::size_t> after{};  ///< steps whose outputs it reads
  /// Its output is determined by its command line and inputs, so that it can be stored.
  bool storable() const {
    return tool == Tool::cicc || tool == Tool::ptxas || tool == Tool::tileiras || tool == Tool::nvlink;
  }
  /// The file to which it writes the module id, as cudafe++ does, and before CUDA 12 the first cicc; empty if
  /// it writes none.
  std::string module_id_file() const;
};

/// What `nvcc --dryrun` prints.
struct DryRun {
  std::vector<std::pair<std::string, std::string>> environment; ///< variables that nvcc sets for its commands
  std::vector<std::string> messages;                            ///< warnings of nvcc itself, line by line
  std::vector<Step> steps;                                      ///< in nvcc's order
  bool for_gpus = false;                                        ///< some command is for a GPU

  /// The last value of a variable; empty if it is not set.
  std::string_view variable(std::string_view name) const;
};

/// Replaces the unpredictable part of nvcc's temporary names, `tmpxft_PID_0000000-N_`, by
/// `tmpxft_TAG_00000000-K_`. K counts files whose names are otherwise the same, so that another GPU in the
/// list changes no name. `tag`: eight hexadecimal digits.
std::string with_fixed_names(std::string_view text, std::string_view tag);

/// Whether this toolkit derives the names of static variables from temporary names, as 11.2 does. Then two
/// sources must not have the same tag.
bool names_symbols_after_files(std::string_view text);

/// Reads the output of a dry run whose temporary files are in `directory`. Steps are connected by the files
/// that they write and read, never by their position. An error describes the first command that is not
/// understood; it is a clause. No steps of GPUs: nothing is an error, and `steps` may be incomplete.
Result<DryRun> read_dry_run(std::string_view text, const std::string& directory);

} // namespace hostpin::slices
