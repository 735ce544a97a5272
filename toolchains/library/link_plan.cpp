// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/library/link_plan.hpp"

#include "toolchains/base/os_error.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/compiler/probe.hpp"
#include "toolchains/compiler/shown.hpp"
#include "toolchains/library/link_search.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <initializer_list>
#include <optional>
#include <set>
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
  std::optional<Error> failure;
  std::string files; ///< the linker's list of files it has read
};

Trial link_program(const std::vector<std::string>& command, std::initializer_list<const char*> options,
                   const Processes& processes) {
  Command trial{command, program, variables_a_probe_hides()};
  // A command may contain -fno-exceptions, which does not concern its links.
  for (const char* const argument : {"-fexceptions", "-x", "c++", "-", "-o", "/dev/null"})
    trial.argv.emplace_back(argument);
  trial.argv.insert(trial.argv.end(), options.begin(), options.end());
  trial.time = longest_trial;
  trial.own_temporary = true; // a terminated compiler leaves its temporary files
  Outcome outcome = processes.run({&trial, 1}).front();
  if (outcome.end == Outcome::End::exited && outcome.code == 0)
    return {std::nullopt, std::move(outcome.output)};
  std::string reason = complaint(outcome.errors);
  return {Error{reason.empty() ? describe(outcome) : std::move(reason), {}, kind_of(outcome)}, {}};
}

/// Links the same program while the linker lists the files it reads. Returns why the link cannot be right: it
/// fails, or uses another file than `facts` for the standard library, both named. Nothing if it is right.
/// Takes as long.
std::optional<Error> failed_trial(const std::vector<std::string>& command, const LibraryFacts& facts,
                                  const Files& files, const Processes& processes) {
  const Trial trial = link_program(command, {"-Wl,--trace"}, processes);
  if (trial.failure)
    return failure_in("a small program could not be linked", *trial.failure).value();
  const std::vector<std::string> taken = traced(trial.files, facts.library.kind + ".so");
  const auto is_right = [&](const std::string& path) {
    return files.real_path(path).value_or(path) == facts.library.path;
  };
  // A linker that reports no such file has no usable --trace; then the driver's -### output is accepted.
  if (taken.empty() || std::any_of(taken.begin(), taken.end(), is_right))
    return std::nullopt;
  return Error{"its links use " + taken.front() + " instead of " + facts.library.path, {}};
}

using Words = std::vector<std::string>;

void add(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

std::string resolved(const Files& files, const std::string& path) {
  return files.real_path(path).value_or(path);
}

/// Two drivers of different families and the `-###` output of each.
struct LinkSides {
  const Compiler& host;
  const Compiler& stdenv;
  const LibraryFacts& facts; ///< of the stdenv
  LinkLine host_line;
  LinkLine stdenv_line;

  /// Programs of the two start with different loaders.
  bool other_loader(const Files& files) const {
    return resolved(files, host_line.loader) != resolved(files, stdenv_line.loader);
  }
};

/// Arguments after the host compiler's driver, and the kind of the last one that pins the library.
struct Pin {
  std::vector<std::string> arguments;
  std::string by;                    ///< `--gcc-install-dir=...`; empty if no option is needed
  std::string run_path;              ///< added so that programs load the library; empty if they do anyway
  std::vector<std::string> searched; ///< directories of the stdenv that are searched first
};

/// -Wl splits its value at commas.
Words linker_option(const std::string& name, const std::string& value) {
  if (value.find(',') == std::string::npos)
    return {"-Wl," + name + ',' + value};
  return {"-Xlinker", name, "-Xlinker", value};
}

/// The first file of that name, as its real path or as it is found; empty if there is none.
std::string first_with(const Files& files, const Words& directories, const std::string& name,
                       bool real = true) {
  for (const std::string& directory : directories) {
    std::string path = directory;
    path.append("/").append(name);
    if (files.status(path))
      return real ? resolved(files, path) : path;
  }
  return {};
}

/// The directories that the usual loader searches after a program's own run paths. Its cache may add others,
/// which then makes a run path superfluous but not wrong.
Words loader_directories(const std::string& target) {
  return {"/lib/" + target, "/usr/lib/" + target, "/lib64", "/usr/lib64", "/lib", "/usr/lib"};
}

constexpr auto basic_libraries =
    std::to_array<const char*>({"libstdc++.so", "libc.so", "libm.so", "libgcc_s.so"});

/// The directories from which the stdenv takes what every program needs, in its order. No others: a directory
/// that is searched first hides libraries of the same name in the directories that a user names.
Words providers(const LinkLine& line, const Files& files) {
  std::set<std::string> wanted;
  for (const char* const name : basic_libraries)
    wanted.insert(directory_of(first_with(files, line.library_directories, name, false)));
  Words directories;
  for (const std::string& directory : line.library_directories)
    if (wanted.erase(directory) > 0)
      directories.push_back(resolved(files, directory));
  return directories;
}

/// Driver options for sysroot or GCC installation would also change the headers, even for sources on a link
/// line. So the compiler's own header directories are named again, at the end of its search, so that their
/// order stays.
Words own_headers(const Compiler& host) {
  constexpr int first_with_brackets = 14;
  const Words none = {"-nostdinc", "-nostdinc++"};
  Words words;
  if (host.family != Family::clang) {
    add(words, none);
  } else if (host.version.major < first_with_brackets) {
    // Without sources it would warn about unused options; so those warnings are disabled.
    words.emplace_back("-Qunused-arguments");
    add(words, none);
  } else {
    words.emplace_back("--start-no-unused-arguments");
    add(words, none);
    words.emplace_back("--end-no-unused-arguments");
  }
  for (const std::string& directory : host.include_directories)
    add(words, {"-idirafter", directory});
  return words;
}

/// Driver options that select libraries, and additional search directories.
struct Choice {
  std::string install; ///< --gcc-install-dir=...
  Words directories;
};

std::vector<Choice> choices(const LinkSides& sides, const Files& files) {
  constexpr int first_with_install_dir = 16;
  const Words own = {resolved(files, directory_of(sides.facts.found))};
  const Words all = providers(sides.stdenv_line, files);
  // A GCC uses its own installation whatever else is installed, while Clang takes the newest it finds, so
  // only a pin is reliable for it.
  if (sides.host.family != Family::clang)
    return {{{}, {}}, {{}, own}, {{}, all}};
  if (sides.host.version.major < first_with_install_dir || sides.stdenv.gcc_install.empty())
    return {{{}, own}, {{}, all}};
  const std::string install = "--gcc-install-dir=" + sides.stdenv.gcc_install;
  return {{install, {}}, {install, own}, {install, all}};
}

Pin pin(const LinkSides& sides, const Choice& choice, const std::string& run_path, const Files& files) {
  Pin made;
  made.run_path = run_path;
  const bool other_sysroot =
      resolved(files, sides.host_line.sysroot) != resolved(files, sides.stdenv_line.sysroot);
  const bool other_installation =
      !choice.install.empty() && sides.host.gcc_install != sides.stdenv.gcc_install;
  if (other_sysroot || other_installation)
    add(made.arguments, own_headers(sides.host));
  const auto add_reason = [&](const std::string& word) { made.arguments.push_back(made.by = word); };
  if (other_sysroot)
    add_reason("--sysroot=" + (sides.stdenv_line.sysroot.empty() ? "/" : sides.stdenv_line.sysroot));
  if (!choice.install.empty())
    add_reason(choice.install);
  for (const std::string& directory : choice.directories)
    made.arguments.push_back("-L" + directory);
  if (!choice.directories.empty())
    made.by = "-L" + resolved(files, directory_of(sides.facts.found));
  made.searched = choice.directories;
  if (sides.other_loader(files))
    add(made.arguments, linker_option("--dynamic-linker", sides.stdenv_line.loader));
  for (const std::string& path : sides.stdenv_line.run_paths)
    add(made.arguments, linker_option("-rpath", path));
  if (!run_path.empty())
    add(made.arguments, linker_option("-rpath", run_path));
  return made;
}

/// The file that programs of a link load for a soname. If the loader is not the host compiler's, its search
/// path is unknown, so only the run paths count.
std::string loaded(const LinkSides& sides, const LinkLine& line, const Files& files) {
  Words directories = line.run_paths;
  if (!sides.other_loader(files))
    add(directories, loader_directories(sides.host.target));
  return first_with(files, directories, "libstdc++.so.6");
}

/// The file that programs should load. Debian installs for each older GCC a library for linking only; it has
/// no other name, so no loader ever finds it, and programs run with the newest.
std::string wanted_library(const LinkSides& sides, const Files& files) {
  const std::string soname_link = directory_of(sides.facts.library.path) + "/libstdc++.so.6";
  return files.status(soname_link) ? sides.facts.library.path : loaded(sides, sides.stdenv_line, files);
}

std::string named(const std::string& path, const char* kind) {
  return path.empty() ? std::string("no ") + kind : path;
}

/// The facts with the library that the driver's own link uses: a -L in the driver's command precedes the
/// driver's own directories.
LibraryFacts as_linked(LibraryFacts facts, const LinkLine& line, const Files& files) {
  const std::string path = first_with(files, line.library_directories, "libstdc++.so", false);
  if (!path.empty() && resolved(files, path) != resolved(files, facts.found)) {
    facts.found = path;
    facts.library.path = resolved(files, path);
  }
  return facts;
}

/// Ways to make the host compiler's driver link as the stdenv does, the most faithful first. All include the
/// stdenv's sysroot, loader and run paths if they differ. None is guaranteed to work; see `misses`.
std::vector<Pin> pins(const LinkSides& sides, const Files& files) {
  std::vector<Pin> ways;
  const std::string wanted = wanted_library(sides, files);
  for (const Choice& choice : choices(sides, files))
    for (const std::string& run_path : {std::string(), directory_of(wanted)})
      ways.push_back(pin(sides, choice, run_path, files));
  return ways;
}

/// What is wrong with a link that the host compiler's driver shows: one of the libraries or the loader
/// differs from the stdenv's own links. Nothing if it is correct.
std::optional<std::string> misses(const LinkSides& sides, const LinkLine& pinned, const Files& files) {
  if (resolved(files, pinned.loader) != resolved(files, sides.stdenv_line.loader))
    return "its programs would start with " + named(pinned.loader, "loader") + " instead of " +
           sides.stdenv_line.loader;
  const std::string linked = first_with(files, pinned.library_directories, "libstdc++.so");
  const std::string found = resolved(files, sides.facts.found);
  if (linked != found)
    return "its links use " + named(linked, "libstdc++") + " instead of " + found;
  for (const char* const name : basic_libraries) {
    const std::string wanted = first_with(files, sides.stdenv_line.library_directories, name);
    const std::string taken = first_with(files, pinned.library_directories, name);
    if (!wanted.empty() && taken != wanted)
      return "its links use " + named(taken, name) + " instead of " + wanted;
  }
  const std::string wanted = wanted_library(sides, files);
  const std::string taken = loaded(sides, pinned, files);
  if (taken != wanted || wanted.empty())
    return "its programs would load " + named(taken, "libstdc++ that they name") + " instead of " +
           named(wanted, "library that is known");
  return std::nullopt;
}

std::string label(const Compiler& compiler) {
  return compiler.command.front();
}

Command show_link(std::vector<std::string> command) {
  for (const char* argument : {"-###", "-x", "c++", "/dev/null", "-o", "hostpin-probe"})
    command.emplace_back(argument);
  Command show{std::move(command), "", variables_a_probe_hides()};
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

bool links_cxx_library(std::string_view shown) {
  const Words words = shown_linker_words(shown);
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word == "-lstdc++" || word == "-lc++"; });
}

/// A C compiler as it links C++: Clang has an option for that, and next to GCC's driver for C is one for C++.
/// The compiler itself if there is no such file.
Compiler as_cxx_driver(Compiler host, const Files& files) {
  if (host.family == Family::clang) {
    host.command.emplace_back("--driver-mode=g++");
    return host;
  }
  std::string& driver = host.command.front();
  for (const auto& [c, cxx] : {std::pair<std::string_view, std::string_view>("gcc", "g++"), {"cc", "c++"}}) {
    const std::size_t at = driver.rfind(c);
    if (at == std::string::npos || driver.find('/', at) != std::string::npos)
      continue;
    std::string other = driver.substr(0, at).append(cxx).append(driver.substr(at + c.size()));
    if (files.status(other)) {
      driver = std::move(other);
      break;
    }
  }
  return host;
}

Result<LinkPlan> cross_family(const Compiler& named, const Compiler& stdenv, const LibraryFacts& facts,
                              const Files& files, const Processes& processes) {
  Compiler host = named;
  const auto refuse = [&](const std::string& reason, ErrorKind kind = ErrorKind::other) {
    return failure("objects of " + label(host) + " cannot be linked with the libraries of " + label(stdenv) +
                       ": " + reason,
                   "choose a host compiler of the stdenv's family, or another stdenv", kind);
  };
  const std::array drivers{show_link(stdenv.command), show_link(host.command)};
  std::vector<Outcome> shown = run_shown(drivers, processes);
  if (!link_line(shown[1].errors).loader.empty() && !links_cxx_library(shown[1].errors)) {
    host = as_cxx_driver(named, files);
    const Command again = show_link(host.command);
    shown[1] = run_shown({&again, 1}, processes).front();
  }
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
  const std::vector<Outcome> outcomes = run_shown(commands, processes);
  std::string missed;
  std::optional<Error> failed;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (const auto reason = misses(sides, link_line(outcomes[i].errors), files))
      missed = *reason;
    else if (auto trial = failed_trial(plans[i].command, linked, files, processes))
      failed = std::move(trial);
    else
      return plans[i];
  }
  return failed ? refuse(failed->message, failed->kind) : refuse(missed);
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

std::optional<Error> failed_link(const std::vector<std::string>& command, const Processes& processes) {
  return link_program(command, {"-fPIC", "-Wl,-z,defs"}, processes).failure;
}

} // namespace hostpin
