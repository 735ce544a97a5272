// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/headers/answer_cache.hpp"
#include "toolchains/remembered/driver_ground.hpp"
#include "toolchains/remembered/loaded_files.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// Runs programs unless their outcome is cached: of the same command, under the same relevant environment,
/// with unchanged dependencies. Commands that are not recognised, and those that failed, are always run. For
/// one thread.
class RememberingProcesses final : public Processes {
public:
  /// `directory`: the cache; must not be empty. `asking`: identifies the build of this program, because
  /// another build may find other dependencies of an outcome.
  RememberingProcesses(const Processes& processes, std::string directory, std::vector<std::string> asking,
                       const Environment& environment, const Files& files)
      : processes_(processes), directory_(std::move(directory)), asking_(std::move(asking)),
        environment_(environment), files_(files), cache_(directory_, files),
        loaded_(environment, files, processes) {}

  std::vector<Outcome> run(std::span<const Command> commands) const override;

  /// A text that was derived from outcomes, if its dependencies are unchanged. `question`: everything that it
  /// depends on except files and the environment.
  std::optional<std::string> recall(const std::vector<std::string>& question) const;

  /// Stores such a text. `programs`: drivers and nvccs that were probed; nothing is stored if the
  /// dependencies of one of them are not known. `asked`: when the work began (toolchains/base/settled.hpp).
  void remember(const std::vector<std::string>& question, std::string_view text,
                std::span<const std::vector<std::string>> programs, Ground rests_on,
                std::int64_t asked) const;

private:
  struct Known {
    Outcome outcome;
    Ground ground;
  };

  /// The key of the cache entry; empty if the outcome is not cached.
  std::vector<std::string> question(const Command& command) const;
  std::vector<std::string> text_question(const std::vector<std::string>& question) const;
  const Known* driver_in(const std::vector<std::string>& words) const;
  std::optional<Ground> ground(const Command& command, const Outcome& outcome) const;
  std::optional<Outcome> known(const Command& command, const std::vector<std::string>& question) const;
  void keep(const Command& command, const std::vector<std::string>& question, const Outcome& outcome,
            std::int64_t asked) const;
  void note(const Command& command, const Outcome& outcome, const Ground& ground) const;
  bool is_steady() const;

  const Processes& processes_;
  std::string directory_;
  std::vector<std::string> asking_;
  const Environment& environment_;
  const Files& files_;
  AnswerCache cache_;
  LoadedFiles loaded_;
  mutable std::map<std::vector<std::string>, Known> seen_; ///< by driver, and by nvcc
};

} // namespace hostpin
