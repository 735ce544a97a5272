// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/compiler/compiler.hpp"
#include "toolchains/compiler/discovery.hpp"
#include "toolchains/compiler/driver_output.hpp"

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace hostpin {

/// `NAME=value` of each variable that compilers, their linkers and compiler launchers read: part of the
/// key under which their answers are cached.
std::vector<std::string> relevant_variables(const Environment& environment);

/// A probed driver.
using ProbeAnswer = std::variant<Compiler, BrokenCompiler>;

/// The environment variables that would make a compiler's answer depend on the caller's shell.
std::vector<std::string> variables_a_probe_hides();

/// Those of them that make a compiler write files in addition to its output.
std::vector<std::string> variables_that_write_files();

/// The call whose outcome `read_answer` parses. Its output names each header that was read, in the
/// preprocessor's line markers.
Command probe_command(const std::vector<std::string>& driver);

/// One call for each.
std::vector<Command> probe_commands(std::span<const DriverCandidate> candidates);

/// Parses the outcomes of those calls; the n-th answer belongs to the n-th candidate.
std::vector<ProbeAnswer> read_answers(const Files& files, std::span<const DriverCandidate> candidates,
                                      std::span<const Outcome> outcomes);

/// Probes every driver once, in one batch; the n-th answer belongs to the n-th candidate.
std::vector<ProbeAnswer> probe_drivers(const Files& files, const Processes& processes,
                                       std::span<const DriverCandidate> candidates);

/// The text that a driver preprocesses as C++; `marked_numbers` reads its output.
std::string_view probe_question();

/// The standard library and the C library according to a preprocessor's answer. Other members of the result
/// have their default values.
Compiler library_answer(const Marked& marked);

/// Parses one driver's answer. Nothing in it is trusted: if anything is missing, contradictory or unreadable,
/// the driver is broken, with the reason as text.
ProbeAnswer read_answer(const Files& files, const DriverCandidate& candidate, const Outcome& outcome);

/// GCC prints x86_64-linux-gnu, x86_64-redhat-linux or x86_64-conda-linux-gnu, Clang x86_64-pc-linux-gnu; all
/// mean one target, the first. If pointers are narrower than the name implies, the driver was given -m32 or
/// -mx32.
std::string normalised_target(std::string_view target, long pointer_bytes);

/// True if two drivers run the same compiler: the same front end, target, headers and C library.
bool same_compiler(const Compiler& a, const Compiler& b);

/// A driver that was left out because an earlier one is the same compiler.
struct DuplicateCompiler {
  Compiler compiler;
  std::vector<std::string> same_as; ///< command of the earlier one
};

struct CompilerSurvey {
  std::vector<Compiler> compilers; ///< distinct, in the order of their candidates
  std::vector<BrokenCompiler> broken;
  std::vector<DuplicateCompiler> duplicates;
};

/// Sorts answers; of several spellings of one compiler the first is used.
CompilerSurvey distinct_compilers(std::vector<ProbeAnswer> answers);

} // namespace hostpin
