// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/tracing/trace.hpp"
#include "wrapper/matrix/result.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hostpin::matrix {

// What is asked about a cell that was built, beyond its own test.

/// Why a cell does not pass: a kind of cause (cause.hpp), and what shows it.
struct Objection {
  std::string kind, text;
};

/// Asks hostpin's programs, each for at most `time`.
struct Checks {
  const std::string& hostpin; ///< the program
  std::chrono::milliseconds time;
  const Processes& processes;

  /// Adds leak-check's findings in a tree to `findings`; their paths begin with `$WORK` in place of `work`,
  /// whose `build` is the build directory. The objection is the first error. The libraries outside that it
  /// found or looked for are added to `trace`. `variables`: the environment of leak-check.
  std::optional<Objection> scan(const std::string& work, const std::string& tree, const std::string& binding,
                                const Environment& variables, std::vector<CellFinding>& findings,
                                Trace& trace) const;

  /// Whether a tree has code for exactly these GPUs, as `hostpin fatbin --expect` takes them.
  std::optional<Objection> expect_code(const std::string& gpus, const std::string& tree) const;

  /// Whether the driver finds code for a GPU in every file of a tree, machine code or PTX; no GPU is used for
  /// that.
  std::optional<Objection> find_code(const std::string& gpu, const std::string& tree) const;

  /// Whether this machine has a GPU that serves a project's need: `gpu`, or `gpu:CAPABILITY`.
  bool has_gpu(const std::string& need) const;
};

/// Bytes of all regular files below a directory.
Result<std::uint64_t> size_of_files(const std::string& directory);

} // namespace hostpin::matrix
