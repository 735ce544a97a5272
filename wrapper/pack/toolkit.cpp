// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/path_text.hpp"
#include "wrapper/pack/names.hpp"
#include "wrapper/pack/parts.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace hostpin::pack {

namespace {

using Settings = std::map<std::string, std::string, std::less<>>;

/// The `#$ NAME=value` lines of a dry run; if a name has several values, the last applies.
Settings settings_of(std::string_view text) {
  constexpr std::string_view marker = "#$ ";
  Settings settings;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = line.find('=');
    const std::size_t blank = line.find(' ', marker.size());
    if (line.starts_with(marker) && equals < blank)
      settings[std::string(line.substr(marker.size(), equals - marker.size()))] = line.substr(equals + 1);
  }
  return settings;
}

std::vector<std::string> split(std::string_view list, char separator) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(separator), list.size());
    if (end > 0)
      parts.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return parts;
}

/// The directories of `"-L/a b" "-L/c"`, for the flag -L.
std::vector<std::string> directories_after(std::string_view flag, std::string_view words) {
  std::vector<std::string> directories;
  for (const std::string& word : split(words, '"'))
    if (word.starts_with(flag) && word.substr(flag.size()).starts_with('/'))
      directories.push_back(word.substr(flag.size()));
  return directories;
}

template <std::size_t size>
bool starts_with_one_of(const std::array<std::string_view, size>& starts, std::string_view name) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view start) { return name.starts_with(start); });
}

bool is_toolkit_header(std::string_view name) {
  return starts_with_one_of(toolkit_header_starts, name);
}

bool is_toolkit_library(std::string_view name) {
  return starts_with_one_of(toolkit_library_starts, name);
}

/// Without the caller's PATH, which may contain another toolkit.
std::string_view own_path(std::string_view path, const Machine& machine) {
  if (const auto callers = machine.environment["PATH"]; callers && path.ends_with(*callers))
    path.remove_suffix(callers->size());
  return path;
}

bool is_device_compiler(std::string_view name) {
  return name.starts_with("libnvvm.so");
}

void add_programs(Contents& contents, const std::string& path, const Machine& machine) {
  const std::vector<std::string> directories = split(path, ':');
  for (const std::string_view name : toolkit_programs)
    for (const std::string& directory : directories)
      if (const std::string file = fmt::format("{}/{}", directory, name);
          directory.starts_with('/') && machine.files.status(file)) {
        contents.tree.add_whole(file);
        break;
      }
}

} // namespace

Result<void> add_toolkit(Contents& contents, const Toolkit& toolkit, const Compiler& host,
                         const Machine& machine) {
  Command command{{toolkit.nvcc, "--dryrun", "-ccbin", host.command.front(), "-x", "cu", "/dev/null"},
                  "",
                  {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN"}};
  const Outcome answer = machine.processes.run({{command}}).front();
  const Settings settings = settings_of(answer.errors);
  const auto path = settings.find("PATH");
  const auto device_library = settings.find("NVVMIR_LIBRARY_DIR");
  const auto libraries = settings.find("LIBRARIES");
  if (path == settings.end() || device_library == settings.end() || libraries == settings.end())
    return failure(fmt::format("{} does not tell where its parts are: {}", toolkit.nvcc, describe(answer)));

  std::string programs = directory_of(toolkit.nvcc) + ':';
  programs += own_path(path->second, machine);
  if (const auto front_end = settings.find("CICC_PATH"); front_end != settings.end())
    programs += ':' + front_end->second;
  add_programs(contents, programs, machine);
  contents.tree.add_whole(device_library->second);
  // nvlink opens libnvvm by name for device link-time optimization; it is in lib64 in older toolkits, and may
  // be in lib in newer ones.
  for (const char* const directory : {"/../lib64", "/../lib"})
    contents.tree.add_whole(device_library->second + directory, is_device_compiler);
  for (const std::string& directory : toolkit.include_directories) {
    const bool is_shared = machine.files.status(directory + "/stdio.h").has_value();
    contents.tree.add_whole(directory, is_shared ? is_toolkit_header : Tree::Wanted());
  }
  // Those are real directories; a call names them through symlinks such as targets/x86_64-linux/include.
  for (const auto& [name, flag] : {std::pair("INCLUDES", "-I"), std::pair("SYSTEM_INCLUDES", "")})
    if (const auto named = settings.find(name); named != settings.end())
      for (const std::string& directory : directories_after(flag, named->second))
        contents.tree.add(directory);
  if (toolkit.include_directories.empty()) // Debian's packages rely on the compiler's default search
    contents.tree.add_whole("/usr/include", is_toolkit_header);
  for (const std::string& directory : directories_after("-L", libraries->second)) {
    const bool is_stubs = base_name(directory) == "stubs";
    contents.tree.add_whole(directory, [is_stubs](std::string_view name) {
      return is_stubs ? name == "libcuda.so" : is_toolkit_library(name);
    });
  }
  return {};
}

} // namespace hostpin::pack
