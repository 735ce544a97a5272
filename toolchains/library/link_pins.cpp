// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/library/link_pins.hpp"

#include "toolchains/base/path_text.hpp"

#include <array>
#include <set>

namespace hostpin {

namespace {

using Words = std::vector<std::string>;

void add(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

std::string resolved(const Files& files, const std::string& path) {
  return files.real_path(path).value_or(path);
}

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
  const auto say = [&](const std::string& word) { made.arguments.push_back(made.by = word); };
  if (other_sysroot)
    say("--sysroot=" + (sides.stdenv_line.sysroot.empty() ? "/" : sides.stdenv_line.sysroot));
  if (!choice.install.empty())
    say(choice.install);
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
  Words places = line.run_paths;
  if (!sides.other_loader(files))
    add(places, loader_directories(sides.host.target));
  return first_with(files, places, "libstdc++.so.6");
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

} // namespace

LibraryFacts as_linked(LibraryFacts facts, const LinkLine& line, const Files& files) {
  const std::string path = first_with(files, line.library_directories, "libstdc++.so", false);
  if (!path.empty() && resolved(files, path) != resolved(files, facts.found)) {
    facts.found = path;
    facts.library.path = resolved(files, path);
  }
  return facts;
}

bool LinkSides::other_loader(const Files& files) const {
  return resolved(files, host_line.loader) != resolved(files, stdenv_line.loader);
}

std::vector<Pin> pins(const LinkSides& sides, const Files& files) {
  std::vector<Pin> ways;
  const std::string wanted = wanted_library(sides, files);
  for (const Choice& choice : choices(sides, files))
    for (const std::string& run_path : {std::string(), directory_of(wanted)})
      ways.push_back(pin(sides, choice, run_path, files));
  return ways;
}

std::optional<std::string> misses(const LinkSides& sides, const LinkLine& pinned, const Files& files) {
  if (resolved(files, pinned.loader) != resolved(files, sides.stdenv_line.loader))
    return "its programs would start with " + named(pinned.loader, "loader") + " instead of " +
           sides.stdenv_line.loader;
  const std::string linked = first_with(files, pinned.library_directories, "libstdc++.so");
  const std::string found = resolved(files, sides.facts.found);
  if (linked != found)
    return "its links take " + named(linked, "libstdc++") + " instead of " + found;
  for (const char* const name : basic_libraries) {
    const std::string wanted = first_with(files, sides.stdenv_line.library_directories, name);
    const std::string taken = first_with(files, pinned.library_directories, name);
    if (!wanted.empty() && taken != wanted)
      return "its links take " + named(taken, name) + " instead of " + wanted;
  }
  const std::string wanted = wanted_library(sides, files);
  const std::string taken = loaded(sides, pinned, files);
  if (taken != wanted || wanted.empty())
    return "its programs would load " + named(taken, "libstdc++ that they name") + " instead of " +
           named(wanted, "library that is known");
  return std::nullopt;
}

} // namespace hostpin
