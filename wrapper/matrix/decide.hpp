// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/config/config.hpp"
#include "toolchains/gpus/gpus.hpp"
#include "toolchains/headers/header_probe.hpp"
#include "toolchains/table/table.hpp"
#include "wrapper/matrix/plan.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace hostpin::matrix {

/// What decisions depend on.
struct DecisionInputs {
  const Environment& environment;
  const Files& files;
  const Processes& processes;
  const Config& config;
  const Table& table;
  const HeaderProbe& headers;
  const std::vector<gpus::Gpu>& gpus;
};

/// The decisions of `hostpin bind` for the combinations of a matrix. Programs are asked once, however many
/// combinations use them.
class Decisions {
public:
  explicit Decisions(const DecisionInputs& inputs);
  ~Decisions();

  /// A toolkit is named by its release, `12.4`, its directory, or its nvcc.
  const Decided& of(const Coordinates& at);

  /// The same for a project: one with link-time code cannot be built where the linker does not read it.
  Decided of(const Coordinates& at, const Project& project);

private:
  struct Bound {
    Decided decided;
    Version release; ///< of the toolkit, if there is a binding
  };

  /// The decision for all GPUs of a toolkit; `at` names none.
  Bound decide(const Coordinates& at);
  std::string toolkit_named(const std::string& name);

  class AskedOnce;
  const DecisionInputs& inputs_;
  std::unique_ptr<AskedOnce> processes_;
  std::map<std::string, std::string> toolkits_; ///< by release: roots
  std::string slow_;                            ///< lines for toolkits that did not answer in time
  bool has_toolkits_ = false;
  std::map<Coordinates, Bound> bound_; ///< without the GPUs, which choose no compiler
  std::map<Coordinates, Decided> known_;
};

} // namespace hostpin::matrix
