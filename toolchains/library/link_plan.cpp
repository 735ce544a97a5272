// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/library/link_plan.hpp"

#include "toolchains/compiler/probe.hpp"
#include "toolchains/library/link_line.hpp"

#include <array>
#include <optional>
#include <utility>

namespace hostpin {

namespace {

std::string label(const Compiler& compiler) {
  return compiler.command.front();
}

std::string resolved(const Files& files, const std::string& path) {
  return files.real_path(path).value_or(path);
}

std::string directory_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

Command show_link(std::vector<std::string> command) {
  for (const char* argument : {"-###", "-x", "c++", "/dev/null", "-o", "hostpin-probe"})
    command.emplace_back(argument);
  return {std::move(command), "", variables_a_probe_hides()};
}

/// Why objects of the one cannot meet libraries of the other at all; empty when they can.
std::string obstacle(const Compiler& host, const Compiler& stdenv, const LibraryFacts& facts) {
  if (host.target != stdenv.target)
    return "they compile for different targets: " + host.target + " and " + stdenv.target;
  if (!host.library.kind.empty() && host.library.kind != facts.library.kind)
    return "they use different standard libraries: " + host.library.kind + " and " + facts.library.kind;
  return {};
}

/// The directories in which the loader looks after a program's own run paths. Its cache may add others, which
/// then makes a run path superfluous but not wrong.
std::vector<std::string> loader_directories(const std::string& target) {
  return {"/lib/" + target, "/usr/lib/" + target, "/lib64", "/usr/lib64", "/lib", "/usr/lib"};
}

std::string first_with(const Files& files, const std::vector<std::string>& directories,
                       const std::string& name) {
  for (const std::string& directory : directories)
    if (files.status(directory + '/' + name))
      return resolved(files, directory + '/' + name);
  return {};
}

/// What becomes of the standard library when one command links and the program then starts.
struct Fate {
  std::string linked; ///< real path of what the linker takes for -lstdc++
  std::string loaded; ///< real path of what the loader finds
};

Fate fate(const Files& files, const LinkLine& line, const std::string& target) {
  std::vector<std::string> searched = line.run_paths;
  const auto defaults = loader_directories(target);
  searched.insert(searched.end(), defaults.begin(), defaults.end());
  return {first_with(files, line.library_directories, "libstdc++.so"),
          first_with(files, searched, "libstdc++.so.6")};
}

/// Ways to make the host compiler's driver take the stdenv's library, the most faithful first. None at all
/// will do for a GCC that links the same library anyway: it keeps to its own installation whatever else comes
/// to the machine, while Clang takes the newest it finds.
std::vector<std::vector<std::string>> pins(const Compiler& host, const Compiler& stdenv,
                                           const std::string& directory) {
  constexpr int first_with_install_dir = 16;
  const std::string search = "-L" + directory;
  if (host.family != Family::clang)
    return {{}, {search}};
  if (host.version.major < first_with_install_dir || stdenv.gcc_install.empty())
    return {{search}};
  const std::string install = "--gcc-install-dir=" + stdenv.gcc_install;
  return {{install}, {install, search}};
}

LinkPlan plan_with(const Compiler& host, const std::vector<std::string>& flags, const std::string& directory,
                   const std::string& run_path) {
  LinkPlan plan{host.command, "the host compiler's driver, which links the same library by itself", {}};
  plan.command.insert(plan.command.end(), flags.begin(), flags.end());
  if (!flags.empty())
    plan.how = "the host compiler's driver with the stdenv's libstdc++ (" + flags.back() + ")";
  if (!flags.empty() && flags.back().starts_with("-L"))
    plan.notes.push_back("other libraries in " + directory +
                         ", such as a libgcc, are taken from there as well");
  if (!run_path.empty()) {
    plan.command.push_back("-Wl,-rpath," + run_path);
    plan.notes.push_back("programs get a run path to " + run_path +
                         ", because the loader would find another libstdc++");
  }
  return plan;
}

Result<LinkPlan> cross_family(const Compiler& host, const Compiler& stdenv, const LibraryFacts& facts,
                              const Files& files, const Processes& processes) {
  const auto refuse = [&](const std::string& reason) {
    return failure("objects of " + label(host) + " cannot be linked with the libraries of " + label(stdenv) +
                       ": " + reason,
                   "choose a host compiler of the stdenv's family, or another stdenv");
  };
  if (host.glibc != stdenv.glibc)
    return refuse("they use different C libraries");
  const std::array drivers{show_link(stdenv.command), show_link(host.command)};
  const std::vector<Outcome> shown = processes.run(drivers);
  const std::string stdenv_loader = link_line(shown[0].errors).loader;
  const std::string host_loader = link_line(shown[1].errors).loader;
  if (stdenv_loader.empty() || host_loader.empty())
    return refuse("one of them does not show how it links");
  if (resolved(files, stdenv_loader) != resolved(files, host_loader))
    return refuse("their programs need different loaders: " + host_loader + " and " + stdenv_loader);

  const std::string linked = resolved(files, facts.found);
  const std::string directory = resolved(files, directory_of(facts.found));
  const std::string run_path = directory_of(facts.library.path);
  std::vector<LinkPlan> plans;
  for (const auto& flags : pins(host, stdenv, directory))
    for (const std::string& path : {std::string(), run_path})
      plans.push_back(plan_with(host, flags, directory, path));
  std::vector<Command> commands;
  commands.reserve(plans.size());
  for (const LinkPlan& plan : plans)
    commands.push_back(show_link(plan.command));
  // A plan is only believed once the driver has shown that it does what was meant.
  const std::vector<Outcome> outcomes = processes.run(commands);
  Fate last;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    last = fate(files, link_line(outcomes[i].errors), host.target);
    if (last.linked == linked && last.loaded == facts.library.path)
      return plans[i];
  }
  if (last.linked != linked)
    return refuse("its links take " + (last.linked.empty() ? "no libstdc++" : last.linked) + " instead of " +
                  linked);
  return refuse("its programs would load " + last.loaded + " instead of " + facts.library.path);
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
