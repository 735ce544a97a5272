// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/toolkit/discovery.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

using Settings = std::map<std::string, std::string, std::less<>>;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(blanks);
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// The `#$ NAME=value` lines of `nvcc -v`; the last value of a name is used.
Settings settings_of(std::string_view errors) {
  constexpr std::string_view marker = "#$ ";
  Settings settings;
  while (!errors.empty()) {
    const std::string_view line = next_line(errors);
    const std::size_t equals = line.find('=');
    if (line.starts_with(marker) && equals != std::string_view::npos)
      settings[std::string(line.substr(marker.size(), equals - marker.size()))] =
          trimmed(line.substr(equals + 1));
  }
  return settings;
}

std::string setting(const Settings& settings, std::string_view name) {
  const auto found = settings.find(name);
  return found == settings.end() ? std::string() : found->second;
}

/// `Cuda compilation tools, release 12.4, V12.4.131`
std::optional<Version> release(std::string_view output) {
  constexpr std::string_view marker = ", V";
  while (!output.empty()) {
    const std::string_view line = next_line(output);
    const std::size_t at = line.find(marker);
    if (line.find("release ") != std::string_view::npos && at != std::string_view::npos)
      return parse_version(trimmed(line.substr(at + marker.size())));
  }
  return std::nullopt;
}

/// The directories of `"-I/a b" -I/c "-isystem" "/d"`.
std::vector<std::string> directories_of(std::string_view flags) {
  std::vector<std::string> words;
  bool in_word = false;
  bool quoted = false;
  for (const char c : flags) {
    if (!quoted && c == ' ') {
      in_word = false;
      continue;
    }
    if (!in_word)
      words.emplace_back();
    in_word = true;
    if (c == '"')
      quoted = !quoted;
    else
      words.back() += c;
  }
  std::vector<std::string> directories;
  for (const std::string& word : words) {
    const std::string_view path =
        word.starts_with("-I") ? std::string_view(word).substr(2) : std::string_view(word);
    if (path.starts_with('/'))
      directories.emplace_back(path);
  }
  return directories;
}

/// Replaces `$(NAME)` by the settings that nvcc printed.
std::string expanded(std::string_view text, const Settings& settings) {
  std::string result;
  while (!text.empty()) {
    const std::size_t begin = text.find("$(");
    const std::size_t end = begin == std::string_view::npos ? begin : text.find(')', begin);
    if (end == std::string_view::npos)
      return result.append(text);
    result.append(text.substr(0, begin));
    result += setting(settings, text.substr(begin + 2, end - begin - 2));
    text.remove_prefix(end + 1);
  }
  return result;
}

/// The error message of nvcc or of the compiler that it ran. The one about the missing input is expected and
/// skipped.
std::string complaint(std::string_view text) {
  constexpr std::size_t longest = 200;
  while (!text.empty()) {
    const std::string_view line = trimmed(next_line(text));
    const auto has = [&](std::string_view word) { return line.find(word) != std::string_view::npos; };
    if (!line.starts_with("#$") && (has("error") || has("fatal")) && !has("__hostpin_probe"))
      return ": " + std::string(line.substr(0, longest));
  }
  return {};
}

/// The compiler-bindir that nvcc.profile sets, as Nixpkgs does. nvcc does not print it among its settings.
std::string profile_host(const Files& files, const std::string& profile, const Settings& settings) {
  constexpr std::size_t longest = std::size_t{1} << 20;
  const auto content = files.read(profile, longest);
  std::string_view text = content ? std::string_view(*content) : std::string_view();
  std::string host;
  while (!text.empty()) {
    const std::string_view line = trimmed(next_line(text));
    const std::size_t equals = line.find('=');
    if (line.starts_with('#') || equals == std::string_view::npos)
      continue;
    const std::size_t end = std::min(line.find_first_of(" \t?+="), equals);
    if (line.substr(0, end) != "compiler-bindir")
      continue;
    host = expanded(trimmed(line.substr(equals + 1)), settings);
    std::erase(host, '"');
  }
  return host;
}

} // namespace

Result<Toolkit> read_toolkit(const Files& files, const ToolkitCandidate& candidate, const Outcome& version,
                             const Outcome& verbose) {
  if (!version.ok())
    return failure("did not report its version: " + describe(version));
  const auto number = release(version.output);
  if (!number)
    return failure("did not report its version");
  // The dry call always fails because it has no input; only what it printed before matters.
  const Settings settings = settings_of(verbose.errors);
  const std::string here = setting(settings, "_HERE_");
  if (!here.starts_with('/'))
    return failure("did not report where it is installed: " + describe(verbose) + complaint(verbose.errors));

  Toolkit toolkit;
  toolkit.version = *number;
  toolkit.origin = candidate.origin;
  toolkit.nvcc = here + "/nvcc";
  const auto status = files.status(toolkit.nvcc);
  if (!status || status->kind != FileStatus::Kind::regular || !status->executable)
    return failure("reports its path as " + toolkit.nvcc + ", which is not an executable file");
  // Debian's profile has no TOP, because its toolkit is spread over /usr.
  const std::string top = settings.contains("TOP") ? setting(settings, "TOP") : here + "/..";
  toolkit.root = files.real_path(top).value_or(top);

  for (const char* name : {"INCLUDES", "SYSTEM_INCLUDES"})
    for (const std::string& directory : directories_of(setting(settings, name)))
      toolkit.include_directories.push_back(files.real_path(directory).value_or(directory));
  // nvcc names no directory if the headers are in the compiler's own /usr/include.
  std::vector<std::string> searched = toolkit.include_directories;
  searched.insert(searched.end(), {toolkit.root + "/include", "/usr/include"});
  for (const std::string& directory : searched) {
    const std::string header = directory + "/crt/host_config.h";
    if (files.status(header)) {
      toolkit.host_config = header;
      break;
    }
  }
  if (toolkit.host_config.empty())
    return failure("is incomplete: crt/host_config.h is in none of its include directories");

  const std::string profile = here + "/nvcc.profile";
  toolkit.profile_host = profile_host(files, profile, settings);
  for (const std::string& path : {candidate.nvcc, toolkit.nvcc, profile, toolkit.host_config})
    if (files.status(path) &&
        std::find(toolkit.files.begin(), toolkit.files.end(), path) == toolkit.files.end())
      toolkit.files.push_back(path);
  return toolkit;
}

} // namespace hostpin
