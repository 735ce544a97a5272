// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/terminal.hpp"
#include "toolchains/survey/relation.hpp"
#include "toolchains/survey/survey.hpp"
#include "wrapper/bind/binding.hpp"
#include "wrapper/command/commands.hpp"
#include "wrapper/command/gpu_calls.hpp"
#include "wrapper/command/prediction.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin::command {

/// A toolkit view that an environment variable leads builds to.
struct KnownView {
  std::string directory;
  std::string origin;  ///< `$CUDA_HOME`, `PATH`, ...
  std::string toolkit; ///< `CUDA 12.4.131 (/usr/local/cuda-12.4)`; empty if unknown
  std::string problem; ///< why it has to be refreshed, as text; empty: it matches its toolkit
};

/// A verdict compared with a real compile.
struct Proof {
  std::size_t candidate = 0; ///< index into Assessment::judged
  bool compiled = false;
  bool agrees = false;     ///< `fits` and compiled, or neither
  std::string first_error; ///< the compiler's message if it did not compile
};

/// Everything that `doctor` prints.
struct Examination {
  const Survey& survey;
  std::vector<Terms> terms;             ///< of each toolkit, in the survey's order
  std::optional<Assessment> assessment; ///< for the selected toolkit; nothing without a toolkit or a stdenv
  const Prediction& prediction;         ///< of a call of nvcc here that names no host compiler itself
  const Result<bind::Binding>& binding; ///< the prediction's
  std::vector<Proof> proofs;            ///< with --verify
  std::vector<std::string> suggested;   ///< drivers that would fit, newest first
  std::vector<KnownView> views;         ///< toolkit views that the environment names
  std::string next;                     ///< the one command to run next; empty if there is no decision
  /// Of each toolkit, what `hostpin redist compose` made it from; empty if it did not.
  std::vector<std::string> composed;
  /// What `fatbin served` prints of named files, as text or as JSON; nothing if none were named.
  std::optional<std::string> device_code;
  /// Of each compiler in Assessment::judged.
  std::vector<Relation> relations;

  std::vector<GpuCalls> gpu_calls = {}; ///< of named build directories

  const Terms* terms_of(const Toolkit& toolkit) const;
};

/// The output as text.
std::string doctor_text(const Examination& examination, const Terminal& terminal);

/// The same as JSON; the schema is in wrapper/command/README.md.
std::string doctor_json(const Examination& examination);

} // namespace hostpin::command
