// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/remembered/gcc_places.hpp"

#include "toolchains/cmdline/tokens.hpp"
#include "toolchains/compiler/driver_output.hpp"
#include "toolchains/compiler/probe.hpp"

#include <string_view>

namespace hostpin {

namespace {

bool is_directory(const Files& files, const std::string& path) {
  const auto status = files.status(path);
  return status && status->kind == FileStatus::Kind::directory;
}

/// lib/gcc below a prefix, the targets in it and their versions: Clang uses a version if it has a crtbegin.o.
void add_installations(std::vector<std::string>& places, const std::string& prefix, const Files& files) {
  for (const char* const library : {"/lib", "/lib64", "/lib32", "/libx32"})
    for (const char* const kind : {"/gcc", "/gcc-cross"}) {
      const std::string root = prefix + library + kind;
      places.push_back(root);
      for (const std::string& target : files.entries(root)) {
        const std::string below = root + '/' + target;
        if (!is_directory(files, below))
          continue;
        places.push_back(below);
        for (const std::string& version : files.entries(below))
          places.push_back(below + '/' + version);
      }
    }
}

/// The arguments of the commands that -v prints.
std::vector<std::string> shown_words(const Lines& lines) {
  std::vector<std::string> all;
  for (const std::string_view line : lines) {
    const auto words =
        line.starts_with(' ') ? cmdline::command_words(line) : Result<std::vector<std::string>>();
    if (words)
      all.insert(all.end(), words->begin(), words->end());
  }
  return all;
}

} // namespace

std::vector<std::string> gcc_places(const Lines& lines, const std::vector<std::string>& driver,
                                    const Compiler& compiler, const Files& files) {
  // Red Hat's toolsets, the selection of Gentoo's gcc-config.
  constexpr const char* toolsets = "/opt/rh";
  std::vector<std::string> places = {toolsets, "/etc/env.d/gcc"};
  std::vector<std::string> prefixes = {"/usr"};
  for (const std::string& directory : lines_after(lines, "InstalledDir: "))
    prefixes.push_back(directory + "/..");
  for (const std::string& toolset : files.entries(toolsets))
    prefixes.push_back(std::string(toolsets) + '/' + toolset + "/root/usr");
  const std::vector<std::string> words = shown_words(lines);
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == "-isysroot")
      prefixes.push_back(words[i + 1] + "/usr");
    else if (words[i] == "-resource-dir")
      places.push_back(words[i + 1]);
  constexpr std::string_view toolchain = "--gcc-toolchain=";
  for (const std::string& word : driver)
    if (word.starts_with(toolchain))
      prefixes.push_back(word.substr(toolchain.size()));
  for (const std::string& prefix : prefixes)
    add_installations(places, prefix, files);
  // A GCC's headers may be installed later than the rest of it.
  for (const std::string& directory : compiler.include_directories)
    places.push_back(directory + "/c++");
  if (!compiler.gcc_install.empty())
    places.push_back(compiler.gcc_install + "/../../../../include/c++");
  return places;
}

std::vector<std::string> library_places(const Outcome& probe) {
  const Lines lines = lines_of(probe.errors);
  std::vector<std::string> roots = {""};
  const std::vector<std::string> words = shown_words(lines);
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == "-isysroot")
      roots.push_back(words[i + 1]);
  std::vector<std::string> names = {"/lib",           "/lib64",          "/lib32",     "/libx32",
                                    "/usr/lib",       "/usr/lib64",      "/usr/lib32", "/usr/libx32",
                                    "/usr/local/lib", "/usr/local/lib64"};
  for (const std::string& target : lines_after(lines, "Target: "))
    for (const char* const library : {"/lib/", "/usr/lib/"})
      names.push_back(library + normalised_target(target, 0));
  std::vector<std::string> places;
  for (const std::string& root : roots)
    for (const std::string& name : names)
      places.push_back(root + name);
  for (const std::string& directory : lines_after(lines, "InstalledDir: "))
    places.push_back(directory + "/../lib");
  for (const std::string& install : lines_after(lines, "Selected GCC installation: "))
    for (const char* const there : {"", "/../../..", "/../../../../lib64", "/../../../../lib"})
      places.push_back(install + there);
  return places;
}

std::vector<std::string> shown_files(const Outcome& outcome) {
  constexpr std::string_view devices = "/dev/"; // /dev/null is the input, and its time changes
  std::vector<std::string> paths;
  for (std::string& word : shown_words(lines_of(outcome.errors))) {
    if (word.starts_with("-L"))
      word.erase(0, 2);
    if (word.starts_with('/') && !word.starts_with(devices))
      paths.push_back(std::move(word));
  }
  for (std::string_view line : lines_of(outcome.output)) {
    // A linker traces `/lib/libc.so` or `-lc (/lib/libc.so)`.
    if (const std::size_t open = line.find("(/"); open != std::string_view::npos && line.ends_with(')'))
      line = line.substr(open + 1, line.size() - open - 2);
    if (line.starts_with('/'))
      paths.emplace_back(line);
  }
  return paths;
}

} // namespace hostpin
