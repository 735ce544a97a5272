// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/survey/target.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/binary/machine.hpp"
#include "toolchains/compiler/real_driver.hpp"
#include "toolchains/table/distribution.hpp"
#include "toolchains/toolkit/target.hpp"

#include <set>
#include <utility>

#include <fmt/format.h>

namespace hostpin {

namespace {

/// What the driver's name says of its target; empty for one of this machine.
std::string named_target(const DriverCandidate& candidate) {
  const auto name = driver_name(base_name(candidate.command.front()));
  return name ? name->target : std::string();
}

/// How to install a compiler for the target.
std::string cross_hint(const std::string& triple, const SurveyInputs& inputs) {
  const std::string package = cross_package(inputs.table, distributions(inputs.files), triple);
  return fmt::format("{}name one with --stdenv or $CXX, such as {}-g++ or \"clang++ --target={}\"",
                     package.empty() ? "" : fmt::format("install {}, or ", package), triple, triple);
}

/// The names that a target can have, for messages.
std::string target_names(const std::vector<Platform>& platforms) {
  std::set<std::string> triples;
  std::string names;
  for (const Platform& platform : platforms)
    if (platform.format == "tar") {
      triples.insert(platform.triple);
      names += ", " + platform.name;
    }
  return joined(triples) + names;
}

/// The foreign target of a stdenv; nothing if its programs are for this machine. Without a platform of its
/// architecture the error says so.
Result<std::optional<ForeignTarget>> foreign_target(const Compiler& stdenv, const WantedTarget& wanted,
                                                    const std::vector<Platform>& platforms) {
  if (binary::runs_here(stdenv.target))
    return std::optional<ForeignTarget>();
  auto rows = wanted.platforms.empty() ? platforms_of(platforms, stdenv.target) : wanted.platforms;
  if (rows.empty())
    return failure(fmt::format("{} ({}) makes programs for {}, for which NVIDIA publishes no CUDA",
                               shell_words(stdenv.command), stdenv.origin, stdenv.target),
                   "name another stdenv with --stdenv or CXX");
  const auto own = platforms_of(platforms, binary::own_triple());
  return std::optional(ForeignTarget{stdenv.target, std::move(rows), platforms_of(platforms, stdenv.target),
                                     own.empty() ? "HOST" : own.front()->name});
}

} // namespace

Result<WantedTarget> wanted_target(const Request& request, const std::vector<Platform>& platforms,
                                   const Files& files) {
  if (request.sysroot && !is_directory(files, *request.sysroot))
    return failure(fmt::format("--sysroot {}: not a directory", *request.sysroot),
                   "name the directory that has the target's usr/include and its libraries");
  if (!request.target)
    return WantedTarget{};
  const std::string hint = "name a triple or a platform: " + target_names(platforms);
  const Platform* const row = platform_named(platforms, *request.target);
  const std::string triple = row != nullptr ? row->triple : *request.target;
  const auto rows = row != nullptr ? std::vector{row} : platforms_of(platforms, triple);
  if (rows.empty())
    return failure(fmt::format("--target {}: NVIDIA publishes no CUDA for it", *request.target), hint);
  if (rows.front()->format == "zip")
    return failure(
        fmt::format("--target {}: programs for Windows cannot be built with a GCC or Clang of this "
                    "machine, because nvcc accepts only Microsoft's cl.exe there",
                    *request.target),
        "hostpin redist checks and composes toolkits for it; build on Windows, or " + hint);
  return WantedTarget{triple, rows};
}

Result<DriverCandidate> with_sysroot(DriverCandidate candidate, const std::string& sysroot) {
  constexpr std::string_view option = "--sysroot=";
  for (const std::string& word : candidate.command) {
    if (!word.starts_with(option))
      continue;
    if (word.substr(option.size()) == sysroot)
      return candidate;
    return failure(fmt::format("{} ({}) already has {}, and --sysroot names {}",
                               shell_words(candidate.command), candidate.origin, word, sysroot),
                   "name one sysroot");
  }
  candidate.command.push_back(std::string(option) + sysroot);
  return candidate;
}

void add_sysroot(std::vector<DriverCandidate>& candidates, const Result<DriverCandidate>& stdenv,
                 const std::string& sysroot) {
  const std::string target = stdenv ? named_target(*stdenv) : std::string();
  for (DriverCandidate& candidate : candidates)
    if (named_target(candidate) == target)
      if (auto with = with_sysroot(candidate, sysroot))
        candidate = *std::move(with);
}

std::optional<Error> unused_sysroot(const Compiler& stdenv, const std::string& sysroot, const Files& files) {
  const auto is_below = [&](const std::string& path, std::string root) {
    if (!root.ends_with('/'))
      root += '/';
    return path.starts_with(root);
  };
  const std::string real = files.real_path(stdenv.c_headers).value_or(stdenv.c_headers);
  if (stdenv.c_headers.empty() || is_below(stdenv.c_headers, sysroot) ||
      is_below(real, files.real_path(sysroot).value_or(sysroot)))
    return std::nullopt;
  return Error{fmt::format("--sysroot {}: {} takes the C library's headers from {} instead", sysroot,
                           shell_words(stdenv.command), stdenv.c_headers),
               fmt::format("see whether {0} has usr/include; cross compilers of Debian and Ubuntu have a C "
                           "library of their own, and find it first: name one that looks only there, such as "
                           "--stdenv \"clang++ --target={1}\", or leave out --sysroot",
                           sysroot, stdenv.target)};
}

Result<Compiler> stdenv_for(const std::string& triple, const Request& request, Result<Compiler> found,
                            std::optional<Result<Compiler>> cross, const std::vector<ProbeAnswer>& answers,
                            const SurveyInputs& inputs) {
  const auto serves = [&](const Compiler& compiler) {
    return architecture_of(compiler.target) == architecture_of(triple) &&
           compiler.target.find("-linux") != std::string::npos;
  };
  if (request.stdenv && !found)
    return found;
  if (found && serves(*found))
    return found;
  if (request.stdenv)
    return failure(fmt::format("{} ({}) makes programs for {}, not for {}", shell_words(found->command),
                               request.stdenv_by, found->target, triple),
                   cross_hint(triple, inputs));
  if (cross)
    return *std::move(cross);
  for (const ProbeAnswer& answer : answers)
    if (const auto* const compiler = std::get_if<Compiler>(&answer); compiler != nullptr && serves(*compiler))
      return *compiler;
  return failure(fmt::format("no C++ compiler makes programs for {}", triple), cross_hint(triple, inputs));
}

std::vector<std::string> target_notes(const WantedTarget& wanted, const Environment& environment,
                                      const Result<Compiler>& found, const Compiler& stdenv,
                                      const Toolkit& toolkit) {
  std::vector<std::string> notes;
  const bool passed_over =
      !wanted.triple.empty() && environment["CXX"] &&
      (found ? found->origin == "$CXX" && found->command != stdenv.command : stdenv.origin != "$CXX");
  if (passed_over)
    notes.push_back(fmt::format(
        "{}: {} is the stdenv instead; unset CXX before builds, because CMake and others compile .cpp files "
        "with it",
        found ? fmt::format("$CXX ({}) makes programs for {}, not for {}", shell_words(found->command),
                            found->target, wanted.triple)
              : found.error().message,
        shell_words(stdenv.command)));
  if (toolkit.target)
    for (const std::string& other : toolkit.target->alternatives)
      notes.push_back(fmt::format("{} has files for {} too: --target {} chooses them instead of those for {}",
                                  toolkit.root, other, other, toolkit.target->platform));
  return notes;
}

Result<Toolkit> for_stdenv(Result<Toolkit> toolkit, const Result<Compiler>& stdenv,
                           const WantedTarget& wanted, const SurveyInputs& inputs,
                           const std::string& preprocessor) {
  if (!toolkit || !stdenv)
    return toolkit;
  TRY_ASSIGN(const auto target, foreign_target(*stdenv, wanted, inputs.table.platforms));
  return target ? toolkit_for(*toolkit, *target, inputs.files, inputs.processes, preprocessor)
                : std::move(toolkit);
}

} // namespace hostpin
