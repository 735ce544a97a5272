// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/process.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace hostpin::test {

/// Answers as other processes do, and keeps the commands that were run.
class RecordingProcesses final : public Processes {
public:
  explicit RecordingProcesses(const Processes& others) : others_(others) {}

  std::vector<Outcome> run(std::span<const Command> commands) const override {
    commands_.insert(commands_.end(), commands.begin(), commands.end());
    return others_.run(commands);
  }

  /// The programs that were run, in order.
  std::vector<std::string> programs() const {
    std::vector<std::string> names;
    for (const Command& command : commands_)
      names.push_back(command.argv.front());
    return names;
  }

  /// Whether commands with that word were run, and all in a TMPDIR that is removed afterwards.
  bool leave_nothing(const std::string& word) const {
    std::size_t count = 0;
    bool all = true;
    for (const Command& command : commands_)
      if (std::find(command.argv.begin(), command.argv.end(), word) != command.argv.end()) {
        ++count;
        all = all && command.own_temporary;
      }
    return count > 0 && all;
  }

private:
  const Processes& others_;
  mutable std::vector<Command> commands_;
};

} // namespace hostpin::test
