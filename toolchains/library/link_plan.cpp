// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/library/link_plan.hpp"

#include "toolchains/compiler/probe.hpp"
#include "toolchains/library/link_line.hpp"
#include "toolchains/library/link_pins.hpp"
#include "toolchains/library/link_search.hpp"
#include "toolchains/library/link_trial.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace hostpin {

namespace {

std::string label(const Compiler& compiler) {
  return compiler.command.front();
}

Command show_link(std::vector<std::string> command) {
  for (const char* argument : {"-###", "-x", "c++", "/dev/null", "-o", "hostpin-probe"})
    command.emplace_back(argument);
  Command show{std::move(command), "", variables_a_probe_hides(), {}, Inquiry::link};
  show.own_temporary = true; // -### of GCC creates its temporary files
  return show;
}

/// Why objects of the one cannot be linked with libraries of the other at all; empty if they can.
std::string obstacle(const Compiler& host, const Compiler& stdenv, const LibraryFacts& facts) {
  if (host.target != stdenv.target)
    return "they compile for different targets: " + host.target + " and " + stdenv.target;
  if (!host.library.kind.empty() && host.library.kind != facts.library.kind)
    return "they use different standard libraries: " + host.library.kind + " and " + facts.library.kind;
  return {};
}

std::string c_library_of(const Compiler& compiler) {
  if (!compiler.c_library.empty())
    return compiler.c_library;
  return compiler.glibc ? "glibc" : "an unknown one";
}

/// The glibc that the stdenv links with, which may be newer than its headers.
std::optional<Version> linked_glibc(const Compiler& stdenv, const std::string& shown, const Files& files) {
  const auto search = linked_library(files, cmdline::linker_command(shown_linker_words(shown)), "c");
  const bool shared = search.library && *search.library && (*search.library)->object;
  const auto version =
      shared ? parse_version(highest_version(*(*search.library)->object, "GLIBC_")) : std::nullopt;
  return version && stdenv.glibc ? std::max(*version, *stdenv.glibc) : stdenv.glibc;
}

/// Why the C library of the one may lack what the headers of the other declare; empty if it does not.
std::string c_library_obstacle(const Compiler& host, const Compiler& stdenv, const std::string& shown,
                               const Files& files) {
  if (host.glibc.has_value() != stdenv.glibc.has_value() || c_library_of(host) != c_library_of(stdenv))
    return "they use different C libraries: " + c_library_of(host) + " and " + c_library_of(stdenv);
  if (!host.glibc || *host.glibc == *stdenv.glibc)
    return {};
  const auto linked = linked_glibc(stdenv, shown, files);
  if (*host.glibc <= *linked)
    return {};
  return "its headers are of glibc " + to_string(*host.glibc) + ", newer than the libraries (" +
         to_string(*linked) + "), which may lack a symbol";
}

LinkPlan plan_with(const Compiler& host, const Pin& pin) {
  LinkPlan plan{host.command, "the host compiler's driver, which links the same library by itself", {}};
  plan.command.insert(plan.command.end(), pin.arguments.begin(), pin.arguments.end());
  if (!pin.by.empty())
    plan.how = "the host compiler's driver with the stdenv's libstdc++ (" + pin.by + ")";
  for (const std::string& directory : pin.searched)
    plan.notes.push_back("other libraries in " + directory +
                         ", such as a libgcc, are taken from there as well");
  if (!pin.run_path.empty())
    plan.notes.push_back("programs get a run path to " + pin.run_path +
                         ", because the loader would find another libstdc++");
  return plan;
}

Result<LinkPlan> cross_family(const Compiler& host, const Compiler& stdenv, const LibraryFacts& facts,
                              const Files& files, const Processes& processes) {
  const auto refuse = [&](const std::string& reason) {
    return failure("objects of " + label(host) + " cannot be linked with the libraries of " + label(stdenv) +
                       ": " + reason,
                   "choose a host compiler of the stdenv's family, or another stdenv");
  };
  const std::array drivers{show_link(stdenv.command), show_link(host.command)};
  const std::vector<Outcome> shown = processes.run(drivers);
  if (const std::string reason = c_library_obstacle(host, stdenv, shown[0].errors, files); !reason.empty())
    return refuse(reason);
  LinkLine stdenv_line = link_line(shown[0].errors);
  const LibraryFacts linked = as_linked(facts, stdenv_line, files);
  const LinkSides sides{host, stdenv, linked, link_line(shown[1].errors), std::move(stdenv_line)};
  if (sides.stdenv_line.loader.empty() || sides.host_line.loader.empty())
    return refuse("one of them does not show how it links");

  std::vector<LinkPlan> plans;
  std::vector<Command> commands;
  for (const Pin& pin : pins(sides, files)) {
    plans.push_back(plan_with(host, pin));
    commands.push_back(show_link(plans.back().command));
  }
  // A plan is accepted only after the driver has shown the intended link command, and has run it once.
  const std::vector<Outcome> outcomes = processes.run(commands);
  std::string missed;
  std::string failed;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (const auto reason = misses(sides, link_line(outcomes[i].errors), files))
      missed = *reason;
    else if (const auto trial = failed_trial(plans[i].command, linked, files, processes))
      failed = *trial;
    else
      return plans[i];
  }
  return refuse(failed.empty() ? missed : failed);
}

} // namespace

Result<LinkPlan> plan_link(const Compiler& host, const Compiler& stdenv, const LibraryFacts& facts,
                           const Files& files, const Processes& processes) {
  if (same_compiler(host, stdenv))
    return LinkPlan{stdenv.command, "the same compiler", {}};
  if (const std::string reason = obstacle(host, stdenv, facts); !reason.empty())
    return failure("objects of " + label(host) + " cannot be linked by " + label(stdenv) + ": " + reason,
                   "choose a host compiler that fits the stdenv, or another stdenv");
  if (host.family == stdenv.family && host.product == stdenv.product) {
    LinkPlan plan{stdenv.command, "the stdenv's own driver", {}};
    if (host.glibc && stdenv.glibc && *stdenv.glibc < *host.glibc)
      plan.notes.push_back("objects are compiled against glibc " + to_string(*host.glibc) +
                           " and linked with glibc " + to_string(*stdenv.glibc) +
                           ", which may lack a symbol they need");
    return plan;
  }
  if (facts.library.kind != "libstdc++")
    return failure("the stdenv " + label(stdenv) + " uses " + facts.library.kind +
                       ", which only its own family of compilers can link",
                   "choose a host compiler of the stdenv's family, or a stdenv with libstdc++");
  return cross_family(host, stdenv, facts, files, processes);
}

} // namespace hostpin
