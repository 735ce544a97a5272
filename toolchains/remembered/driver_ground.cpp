// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/remembered/driver_ground.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/places.hpp"
#include "toolchains/compiler/driver_output.hpp"
#include "toolchains/compiler/probe.hpp"
#include "toolchains/compiler/real_driver.hpp"
#include "toolchains/remembered/gcc_places.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

namespace hostpin {

namespace {

void add(Ground& ground, const std::vector<std::string>& more) {
  ground.insert(ground.end(), more.begin(), more.end());
}

/// `# 1 "/usr/include/features.h" 1 3 4`: the headers that were read. Nothing if a name is ambiguous.
std::optional<std::set<std::string>> headers_read(std::string_view output) {
  std::set<std::string> headers;
  for (const std::string_view line : lines_of(output)) {
    const std::size_t begin = line.find('"') + 1;
    const std::size_t end = line.rfind('"');
    if (!line.starts_with("# ") || begin == 0 || end <= begin)
      continue;
    const std::string_view name = line.substr(begin, end - begin);
    if (name.starts_with('<')) // <stdin>, <built-in>
      continue;
    if (!name.starts_with('/') || name.find('\\') != std::string_view::npos)
      return std::nullopt;
    headers.emplace(name);
  }
  return headers;
}

/// The headers, and each directory in which one of them would be found first if it were created there: for
/// /usr/include/bits/x.h, `bits` in every include directory.
void add_headers(Ground& ground, const std::set<std::string>& headers, const Compiler& compiler,
                 const Files& files) {
  std::set<std::string> below = {""};
  std::set<std::string> seen;
  for (const std::string& header : headers) {
    ground.push_back(header);
    if (!seen.insert(directory_of(header)).second)
      continue;
    const std::string directory = files.real_path(directory_of(header)).value_or("");
    for (const std::string& searched : compiler.include_directories)
      if (directory.starts_with(searched + '/'))
        below.insert(directory.substr(searched.size()));
  }
  for (const std::string& searched : compiler.include_directories)
    for (const std::string& inner : below)
      ground.push_back(searched + inner);
}

/// The directories after `MARKER=`, of which GCC's driver lists the existing ones.
std::vector<std::string> listed(const Lines& lines, std::string_view marker) {
  std::vector<std::string> directories;
  for (const std::string& list : lines_after(lines, marker))
    for (std::size_t begin = 0; begin < list.size();) {
      const std::size_t end = std::min(list.find(':', begin), list.size());
      if (list[begin] == '/')
        directories.push_back(list.substr(begin, end - begin));
      begin = end + 1;
    }
  return directories;
}

/// The path between the quotes of `ignoring nonexistent directory "/usr/local/include"`.
std::vector<std::string> ignored(const Lines& lines) {
  std::vector<std::string> directories = lines_after(lines, "ignoring nonexistent directory \"");
  for (std::string& directory : directories)
    directory.resize(std::min(directory.find('"'), directory.size()));
  return directories;
}

std::string in_directory(const std::string& directory, std::string_view name) {
  std::string path = directory;
  path += path.ends_with('/') ? "" : "/";
  return path.append(name);
}

/// True if the driver may run programs from other directories, which may change the answer.
bool has_other_programs(const Environment& environment) {
  return environment["COMPILER_PATH"] || environment["GCC_EXEC_PREFIX"];
}

/// The directories in which a script makes the driver look for its front end: the driver does not list absent
/// ones, which may be created later.
void add_absent_places(Ground& ground, const std::string& script, const Files& files) {
  constexpr std::string_view marker = "COMPILER_PATH=";
  constexpr std::size_t longest_script = 4096;
  const std::string text = files.read(script, longest_script).value_or("");
  for (std::size_t at = text.find(marker); at != std::string::npos; at = text.find(marker, at)) {
    at += marker.size();
    const std::string list = text.substr(at, text.find_first_of(" \n", at) - at);
    for (std::size_t begin = 0; begin < list.size();) {
      const std::size_t end = std::min(list.find(':', begin), list.size());
      if (std::string place = list.substr(begin, end - begin); !files.status(place))
        ground.push_back(std::move(place));
      begin = end + 1;
    }
  }
}

} // namespace

std::optional<Ground> driver_ground(const std::vector<std::string>& driver, const Outcome& outcome,
                                    const Environment& environment, const Files& files,
                                    const LoadedFiles& loaded) {
  if (!outcome.ok() || has_other_programs(environment))
    return std::nullopt;
  const auto real = real_driver(driver, files);
  const auto answer = read_answer(files, {driver, {}}, outcome);
  const auto* const compiler = std::get_if<Compiler>(&answer);
  const auto headers = headers_read(outcome.output);
  if (!real || compiler == nullptr || compiler->family == Family::other || !headers)
    return std::nullopt;
  const Lines lines = lines_of(outcome.errors);
  if (!is_driver_itself(lines, *real, compiler->family, files))
    return std::nullopt;

  Ground ground;
  for (const std::string& program : real->files) {
    ground.push_back(program);
    ground.push_back(files.real_path(program).value_or(program));
    add_absent_places(ground, program, files);
  }
  for (const std::string& program : {real->files.back(), compiler->front_end}) {
    const auto parts = loaded.of(files.real_path(program).value_or(program));
    if (!parts)
      return std::nullopt;
    add(ground, *parts);
  }
  for (const std::string& directory : listed(lines, "COMPILER_PATH="))
    ground.push_back(in_directory(directory, "cc1plus"));
  add_headers(ground, *headers, *compiler, files);
  add(ground, ignored(lines));
  if (compiler->family == Family::gcc) {
    add(ground, specs_files(lines, *compiler));
    for (const std::string& directory : listed(lines, "LIBRARY_PATH="))
      for (const std::string& name : specs_names(*compiler))
        ground.push_back(in_directory(directory, name));
  } else {
    add(ground, configuration_files(lines, *real));
    add(ground, gcc_places(lines, driver, *compiler, files));
  }
  return ground;
}

std::optional<Ground> link_ground(const Command& command, const Outcome& outcome, const Outcome& probe,
                                  const Environment& environment) {
  if (!outcome.ok() || has_other_programs(environment))
    return std::nullopt;
  Ground ground = library_places(probe);
  for (const std::string& word : command.argv)
    for (const std::string_view option : {"-L", "--gcc-install-dir=", "--sysroot="})
      if (word.starts_with(option) && word.size() > option.size())
        ground.push_back(word.substr(option.size()));
  add(ground, shown_files(outcome));
  Lines lines = lines_of(probe.errors);
  const Lines now = lines_of(outcome.errors);
  lines.insert(lines.end(), now.begin(), now.end());
  add(ground, listed(lines, "LIBRARY_PATH="));
  // GCC's driver looks for the assembler there and on PATH, collect2 and Clang for the linker.
  std::vector<std::string> names = {"as", "ld"};
  for (const std::string& target : lines_after(lines, "Target: "))
    names.insert(names.end(), {target + "-as", target + "-ld"});
  std::vector<std::string> directories = path_directories(environment);
  add(directories, lines_after(lines, "InstalledDir: "));
  for (const std::string& directory : directories)
    for (const std::string& name : names)
      ground.push_back(in_directory(directory, name));
  names.insert(names.end(), {"collect-ld", "real-ld", "collect2"});
  for (const std::string& directory : listed(lines, "COMPILER_PATH="))
    for (const std::string& name : names)
      ground.push_back(in_directory(directory, name));
  return ground;
}

} // namespace hostpin
