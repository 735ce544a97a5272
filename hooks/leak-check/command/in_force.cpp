// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/command/in_force.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace hostpin {

namespace {

/// A directory of its own, gone afterwards.
class Scratch {
public:
  explicit Scratch(const std::string& parent) : path_(parent + "/hostpin-leak-check-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr)
      path_.clear();
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty())
      std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

} // namespace

Result<void> add_binding_in_force(Policy& policy, const std::string& hostpin, const std::string& scratch,
                                  const Files& files, const Processes& processes) {
  constexpr const char* cure = "name one with --binding DIR, or say --no-binding";
  const Scratch directory(scratch);
  if (directory.path().empty())
    return failure("cannot make a directory in " + scratch, "set TMPDIR to one that can be written to");
  const std::string bound = directory.path() + "/bound";
  Command command;
  command.argv = {hostpin, "bind", bound};
  command.time = std::chrono::minutes(2); // many compilers on a busy machine
  const Outcome outcome = processes.run({&command, 1}).front();
  if (!outcome.ok()) {
    const std::string said = outcome.errors.substr(0, outcome.errors.find('\n'));
    return failure("no toolchain can be bound here to judge by: " + (said.empty() ? describe(outcome) : said),
                   cure);
  }
  return add_binding(policy, files, bound);
}

} // namespace hostpin
