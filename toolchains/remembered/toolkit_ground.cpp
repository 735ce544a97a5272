// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/remembered/toolkit_ground.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/compiler/real_driver.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace hostpin {

namespace {

constexpr std::size_t longest_profile = std::size_t{1} << 20U;

/// The programs from an nvcc's name to the real one; empty if a script does more than pass a call on.
std::vector<std::string> row_of(const std::string& nvcc, const Files& files) {
  std::vector<std::string> programs;
  const auto row = programs_behind({nvcc}, files);
  if (!row)
    return programs;
  for (const std::vector<std::string>& words : *row) {
    if (words.size() > 1)
      return {};
    programs.push_back(words.front());
  }
  return programs;
}

std::vector<std::string> profiles_of(const std::vector<std::string>& programs, const Files& files) {
  std::vector<std::string> profiles;
  for (const std::string& program : programs)
    for (const std::string& path : {program, files.real_path(program).value_or(program)})
      profiles.push_back(directory_of(path) + "/nvcc.profile");
  return profiles;
}

/// Everything in a text that could be a variable's name.
void add_names(std::set<std::string, std::less<>>& names, std::string_view text) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  while (!text.empty()) {
    text.remove_prefix(std::min(text.find_first_of(letters), text.size()));
    const std::size_t end = std::min(text.find_first_not_of(letters), text.size());
    if (end > 0)
      names.emplace(text.substr(0, end));
    text.remove_prefix(end);
  }
}

/// Without an input nvcc fails, but only after it has printed its settings.
bool has_answered(const Command& command, const Outcome& outcome) {
  const bool dry = std::find(command.argv.begin(), command.argv.end(), "-v") != command.argv.end();
  if (!dry)
    return outcome.ok();
  return outcome.end == Outcome::End::exited && !outcome.truncated &&
         outcome.errors.find("#$ _HERE_=") != std::string::npos;
}

} // namespace

std::optional<Ground> toolkit_ground(const Command& command, const Outcome& outcome, const Files& files,
                                     const LoadedFiles& loaded) {
  const std::vector<std::string> programs = row_of(command.argv.front(), files);
  if (programs.empty() || !has_answered(command, outcome))
    return std::nullopt;
  const auto parts = loaded.of(files.real_path(programs.back()).value_or(programs.back()));
  if (!parts)
    return std::nullopt;
  Ground ground = *parts;
  for (const std::vector<std::string>& more : {programs, profiles_of(programs, files)})
    ground.insert(ground.end(), more.begin(), more.end());
  // The host compiler that nvcc queries.
  for (std::size_t i = 1; i < command.argv.size(); ++i)
    if (const std::string& word = command.argv[i]; word.starts_with('/'))
      ground.insert(ground.end(), {word, files.real_path(word).value_or(word)});
  return ground;
}

std::vector<std::string> toolkit_variables(const Command& command, const Environment& environment,
                                           const Files& files) {
  std::set<std::string, std::less<>> names;
  for (const std::string& profile : profiles_of(row_of(command.argv.front(), files), files))
    if (const auto text = files.read(profile, longest_profile))
      add_names(names, *text);
  std::vector<std::string> variables;
  for (const auto& [name, value] : environment.variables()) {
    constexpr auto families = std::to_array<std::string_view>({"CICC", "CUDA", "NVCC", "NVVM"});
    const bool own = std::any_of(families.begin(), families.end(),
                                 [&, &named = name](auto family) { return named.starts_with(family); });
    const bool hidden = std::find(command.unset.begin(), command.unset.end(), name) != command.unset.end();
    if (!hidden && (own || names.contains(name)))
      variables.push_back(name + '=' + value);
  }
  return variables;
}

} // namespace hostpin
