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

/// Runs programs but those whose outcome is known: of the same command, under the same environment as far as
/// it matters, resting on files that are what they were. What is not recognised is run, and so is what had no
/// success. For one thread.
class RememberingProcesses final : public Processes {
public:
  /// `directory`: where outcomes are kept; must not be empty. `asking`: what tells one build of this program
  /// from another, for another one may see more in an outcome that it rests on.
  RememberingProcesses(const Processes& processes, std::string directory, std::vector<std::string> asking,
                       const Environment& environment, const Files& files)
      : processes_(processes), directory_(std::move(directory)), asking_(std::move(asking)),
        environment_(environment), files_(files), cache_(directory_, files),
        loaded_(environment, files, processes) {}

  std::vector<Outcome> run(std::span<const Command> commands) const override;

  /// A text that was worked out from outcomes, as long as what it rests on is what it was. `question`: all
  /// that it depends on besides files and the environment.
  std::optional<std::string> recall(const std::vector<std::string>& question) const;

  /// `programs`: drivers and nvccs that were asked what they are; nothing is kept where it is not known what
  /// one of them rests on. `asked`: when the work began (toolchains/base/settled.hpp).
  void remember(const std::vector<std::string>& question, std::string_view text,
                std::span<const std::vector<std::string>> programs, Ground rests_on,
                std::int64_t asked) const;

private:
  struct Known {
    Outcome outcome;
    Ground ground;
  };

  /// Empty where nothing is to be remembered.
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
