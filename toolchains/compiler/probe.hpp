// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

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

/// What a driver turned out to be.
using ProbeAnswer = std::variant<Compiler, BrokenCompiler>;

/// The environment variables that would make a compiler's answer depend on the shell that asks.
std::vector<std::string> variables_a_probe_hides();

/// Those of them that make a compiler write files beside its output.
std::vector<std::string> variables_that_write_files();

/// The call whose outcome `read_answer` understands. Its output names each header that was read, as a
/// preprocessor's output does.
Command probe_command(const std::vector<std::string>& driver);

/// The driver of such a call.
std::vector<std::string> probed_driver(const Command& command);

/// One call for each.
std::vector<Command> probe_commands(std::span<const DriverCandidate> candidates);

/// What the outcomes of those calls say; the n-th answer belongs to the n-th candidate.
std::vector<ProbeAnswer> read_answers(const Files& files, std::span<const DriverCandidate> candidates,
                                      std::span<const Outcome> outcomes);

/// Asks every driver once, all in one round; the n-th answer belongs to the n-th candidate.
std::vector<ProbeAnswer> probe_drivers(const Files& files, const Processes& processes,
                                       std::span<const DriverCandidate> candidates);

/// What a driver is given to preprocess as C++; `marked_numbers` reads what comes of it.
std::string_view probe_question();

/// What a preprocessor's answer to the question says of the standard library and the C library. Other members
/// of the result stay as they are made.
Compiler library_answer(const Marked& marked);

/// What one driver's answer says. Nothing in it is trusted: whatever is missing, contradictory or unreadable
/// makes the driver broken, with the reason in words.
ProbeAnswer read_answer(const Files& files, const DriverCandidate& candidate, const Outcome& outcome);

/// GCC says x86_64-linux-gnu, x86_64-redhat-linux or x86_64-conda-linux-gnu, Clang x86_64-pc-linux-gnu, and
/// all mean one target, the first. Where pointers are narrower than the name says the driver was given -m32
/// or -mx32.
std::string normalised_target(std::string_view target, long pointer_bytes);

/// Whether two drivers lead to the same real compiler: the same front end, target, headers and C library.
bool same_compiler(const Compiler& a, const Compiler& b);

/// A driver that was left out because an earlier one is the same compiler.
struct DuplicateCompiler {
  Compiler compiler;
  std::vector<std::string> same_as; ///< command of the one that was kept
};

struct CompilerSurvey {
  std::vector<Compiler> compilers; ///< distinct, in the order of their candidates
  std::vector<BrokenCompiler> broken;
  std::vector<DuplicateCompiler> duplicates;
};

/// Sorts answers; of several spellings of one compiler the first is kept.
CompilerSurvey distinct_compilers(std::vector<ProbeAnswer> answers);

} // namespace hostpin
