// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/cxx/run_path.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/cmdline/driver_options.hpp"
#include "toolchains/cmdline/linker_command.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

namespace hostpin::cxx {

namespace {

/// What the arguments of a link say about run paths.
struct RunPaths {
  std::vector<std::string> directories; ///< of -rpath and -R
  bool are_tagged = false;              ///< --enable-new-dtags or --disable-new-dtags
  bool have_no_effect = false;          ///< the output is not loaded by a dynamic loader
};

bool selects_tag(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  return word == "enable-new-dtags" || word == "disable-new-dtags";
}

std::string_view without_slash(std::string_view directory) {
  while (directory.size() > 1 && directory.ends_with('/'))
    directory.remove_suffix(1);
  return directory;
}

bool is_any(std::string_view word, std::span<const std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// Appends what the compiler driver passes to the linker for one argument, as far as run paths are concerned.
void append_linker_words(const cmdline::DriverArgument& read, std::string_view argument,
                         std::vector<std::string>& words) {
  if (read.option == nullptr || read.lacks_value) {
    if (argument == "-r")
      words.emplace_back(argument);
    return;
  }
  const std::string_view spelling = read.option->spelling;
  if (spelling == "-Wl," || spelling == "--for-linker=") {
    for (std::string& word : split(read.value, ","))
      words.push_back(std::move(word));
  } else if (read.option->meaning == cmdline::DriverMeaning::link_input) {
    words.emplace_back(read.value);
  } else if (spelling == "-rpath" || spelling == "-R") {
    words.emplace_back("-rpath");
    words.emplace_back(read.value);
  }
}

RunPaths run_paths(std::span<const std::string_view> arguments) {
  constexpr std::string_view static_options[] = {"-static", "--static", "-static-pie"};
  RunPaths paths;
  std::vector<std::string> words{"ld"};
  for (std::size_t i = 0; i < arguments.size();) {
    const cmdline::DriverArgument read = cmdline::driver_argument(arguments, i);
    append_linker_words(read, arguments[i], words);
    paths.have_no_effect = paths.have_no_effect || is_any(arguments[i], static_options);
    i += read.size;
  }
  cmdline::LinkerCommand command = cmdline::linker_command(words);
  paths.have_no_effect = paths.have_no_effect || command.relocatable;
  paths.are_tagged = std::any_of(words.begin(), words.end(), selects_tag);
  paths.directories = std::move(command.run_paths);
  for (cmdline::LinkerInput& input : command.inputs)
    if (input.run_path)
      paths.directories.push_back(std::move(input.name));
  return paths;
}

} // namespace

std::vector<const char*> run_path_arguments(const plan::Plan& plan,
                                            std::span<const std::string_view> arguments,
                                            std::string_view run_path_variable,
                                            const cmdline::ArgumentFiles& files) {
  if (plan.driver_directories.empty() && plan.run_path.empty())
    return {};
  const cmdline::ExpandedArguments all = expand_responses(arguments, files);
  RunPaths paths = run_paths(all.arguments);
  if (paths.have_no_effect)
    return {};
  std::vector<std::string_view> added;
  if (paths.directories.empty() && !run_path_variable.empty()) {
    added.push_back(run_path_variable);
    paths.directories = split(run_path_variable, ":");
  }
  const std::size_t of_variable = added.size();
  const auto is_named = [&](std::string_view directory) {
    return std::any_of(paths.directories.begin(), paths.directories.end(),
                       [&](const std::string& each) { return without_slash(each) == directory; });
  };
  std::copy_if(plan.run_path.begin(), plan.run_path.end(), std::back_inserter(added),
               [&](std::string_view directory) { return !is_named(directory); });
  const bool orders = std::none_of(plan.driver_directories.begin(), plan.driver_directories.end(), is_named);
  if (orders)
    added.insert(added.end(), plan.driver_directories.begin(), plan.driver_directories.end());
  if (added.size() == of_variable)
    return {}; // the linker reads the variable itself
  std::vector<const char*> words;
  if (orders && !plan.driver_directories.empty() && !paths.are_tagged)
    words.push_back("-Wl,--disable-new-dtags");
  for (const std::string_view directory : added) // a comma in one would end an argument of -Wl
    words.insert(words.end(), {"-Xlinker", "-rpath", "-Xlinker", directory.data()});
  return words;
}

} // namespace hostpin::cxx
