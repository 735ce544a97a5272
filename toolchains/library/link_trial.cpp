// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/library/link_trial.hpp"

#include "toolchains/compiler/probe.hpp"

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

// Needs the C++ library for the exception, and start files, libgcc and the C library like any program.
constexpr const char* program = "int main(int count, char**) { if (count > 9) throw count; }\n";

// It compiles and links in a tenth of a second; a busy machine must not lead to another plan.
constexpr std::chrono::seconds longest_trial{30};

/// The line with the problem: the first that contains `error`, else the first.
std::string complaint(std::string_view text) {
  std::string first;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    for (const std::string_view mark : {"error:", "undefined reference", "cannot find", "not found"})
      if (line.find(mark) != std::string_view::npos)
        return std::string(line);
    if (first.empty())
      first = line;
  }
  return first;
}

/// The files that linkers report for the library, as `/lib/libx.so` or `-lx (/lib/libx.so)`.
std::vector<std::string> traced(std::string_view text, std::string_view name) {
  std::vector<std::string> paths;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with(')'))
      line.remove_suffix(1);
    const std::size_t at = line.rfind('/');
    const std::size_t begin = line.starts_with('/') ? 0 : line.find("(/") + 1;
    if (at != std::string_view::npos && begin <= at && line.substr(at + 1).starts_with(name))
      paths.emplace_back(line.substr(begin));
  }
  return paths;
}

struct Trial {
  std::optional<std::string> failure;
  std::string files; ///< the linker's list of files it has read
};

Trial link_program(const std::vector<std::string>& command, std::initializer_list<const char*> options,
                   const Processes& processes) {
  Command trial{command, program, variables_a_probe_hides()};
  // A command may contain -fno-exceptions, which does not concern its links.
  for (const char* const argument : {"-fexceptions", "-x", "c++", "-", "-o", "/dev/null"})
    trial.argv.emplace_back(argument);
  trial.argv.insert(trial.argv.end(), options.begin(), options.end());
  trial.inquiry = Inquiry::link;
  trial.time = longest_trial;
  trial.own_temporary = true; // a terminated compiler leaves its temporary files
  Outcome outcome = processes.run({&trial, 1}).front();
  if (outcome.end == Outcome::End::exited && outcome.code == 0)
    return {std::nullopt, std::move(outcome.output)};
  std::string said = complaint(outcome.errors);
  return {said.empty() ? describe(outcome) : std::move(said), {}};
}

} // namespace

std::optional<std::string> failed_link(const std::vector<std::string>& command, const Processes& processes) {
  return link_program(command, {"-fPIC", "-Wl,-z,defs"}, processes).failure;
}

std::optional<std::string> failed_trial(const std::vector<std::string>& command, const LibraryFacts& facts,
                                        const Files& files, const Processes& processes) {
  const Trial trial = link_program(command, {"-Wl,--trace"}, processes);
  if (trial.failure)
    return "a small program could not be linked: " + *trial.failure;
  const std::vector<std::string> taken = traced(trial.files, facts.library.kind + ".so");
  const auto is_right = [&](const std::string& path) {
    return files.real_path(path).value_or(path) == facts.library.path;
  };
  // A linker that reports no such file has no usable --trace; then the driver's -### output is accepted.
  if (taken.empty() || std::any_of(taken.begin(), taken.end(), is_right))
    return std::nullopt;
  return "its links take " + taken.front() + " instead of " + facts.library.path;
}

} // namespace hostpin
