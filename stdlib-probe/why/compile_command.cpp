// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/compile_command.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/cmdline/driver_options.hpp"
#include "toolchains/cmdline/launchers.hpp"
#include "toolchains/cmdline/response.hpp"
#include "toolchains/cmdline/tokens.hpp"
#include "toolchains/compiler/real_driver.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hostpin::probe {

namespace {

constexpr std::size_t largest_database = std::size_t{512} << 20;
constexpr const char* how_to_make = "CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON";

Result<std::vector<std::string>> words_of_entry(const nlohmann::json& entry) {
  if (const auto list = entry.find("arguments"); list != entry.end()) {
    std::vector<std::string> words;
    if (!list->is_array())
      return failure("'arguments' is not a list");
    for (const nlohmann::json& word : *list) {
      if (!word.is_string())
        return failure("'arguments' has an element that is not a string");
      words.push_back(word.get<std::string>());
    }
    return words;
  }
  const auto command = entry.find("command");
  if (command == entry.end() || !command->is_string())
    return failure("it has neither 'arguments' nor 'command'");
  return cmdline::command_words(command->get<std::string>());
}

Result<CompileCommand> command_of(const nlohmann::json& entry, const std::string& database_directory) {
  if (!entry.is_object())
    return failure("it is not an object");
  const auto text = [&](const char* key) {
    const auto found = entry.find(key);
    return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  TRY_ASSIGN(auto words, words_of_entry(entry));
  if (words.empty())
    return failure("its command is empty");
  const std::string file = text("file");
  if (file.empty())
    return failure("it has no 'file'");
  const std::string directory = absolute_path(text("directory"), database_directory);
  return CompileCommand{directory, std::move(words), absolute_path(file, directory)};
}

/// The directories after these flags.
std::vector<std::string> directories_after(std::span<const std::string_view> wanted,
                                           const std::vector<std::string>& flags) {
  std::vector<std::string> directories;
  for (std::size_t i = 0; i < flags.size(); ++i)
    for (const std::string_view flag : wanted) {
      if (flags[i] == flag && i + 1 < flags.size())
        directories.push_back(flags[++i]);
      else if (flags[i].starts_with(flag) && flags[i].size() > flag.size())
        directories.push_back(flags[i].substr(flag.size()));
    }
  return directories;
}

std::string standard_of(long cplusplus) {
  constexpr auto standards = std::to_array<std::pair<long, const char*>>({{199711, "gnu++98"},
                                                                          {201103, "gnu++11"},
                                                                          {201402, "gnu++14"},
                                                                          {201703, "gnu++17"},
                                                                          {202002, "gnu++20"},
                                                                          {202302, "gnu++23"}});
  for (const auto& [value, name] : standards)
    if (cplusplus <= value)
      return cplusplus == 0 ? "" : name;
  return "gnu++26";
}

} // namespace

std::string absolute_path(const std::string& path, const std::string& directory) {
  return (std::filesystem::path(directory) / path).lexically_normal().string();
}

Result<std::vector<std::string>> expanded_words(const Files& files, std::span<const std::string> words,
                                                const std::string& directory) {
  std::vector<std::string> expanded = cmdline::with_responses(words, files, directory);
  if (auto unread = cmdline::unread_response(expanded, files, directory))
    return tl::unexpected(*std::move(unread));
  return expanded;
}

Result<std::vector<CompileCommand>> compile_database(const Files& files, const std::string& path) {
  const std::string file = is_directory(files, path) ? path + "/compile_commands.json" : path;
  const auto text = files.read(file, largest_database);
  if (!text)
    return failure(text.error().message, how_to_make);
  const nlohmann::json database = nlohmann::json::parse(*text, nullptr, false);
  if (!database.is_array())
    return failure(file + " is not a compile database: it is not a JSON list", how_to_make);
  if (database.empty())
    return failure(file + " has no entries, so there is nothing to check", how_to_make);
  const std::string real = files.real_path(file).value_or(file);
  std::vector<CompileCommand> commands;
  for (std::size_t i = 0; i < database.size(); ++i) {
    auto command = command_of(database[i], real.substr(0, real.rfind('/')));
    if (!command)
      return failure(fmt::format("{}: entry {} cannot be used: {}", file, i + 1, command.error().message),
                     how_to_make);
    commands.push_back(std::move(*command));
  }
  return commands;
}

Result<Invocation> invocation(std::span<const std::string> words) {
  const std::size_t first = cmdline::driver_position(words);
  if (first >= words.size() || words[first].empty() || words[first].front() == '-')
    return failure("the compile command names no compiler",
                   "write it as a build does: `-- g++ -std=c++20 -O2`");
  Invocation result;
  result.driver = words[first];
  if (base_name(result.driver).starts_with("nvcc"))
    return failure(
        "the compile command calls nvcc, which runs another compiler",
        "give the command of its host compiler, with -x c++ and without the options that only nvcc knows; "
        "`nvcc --dryrun` "
        "shows it. To see what a .cu object needs: hostpin leak-check, or nm -u");
  for (std::size_t i = first + 1; i < words.size();) {
    const cmdline::DriverArgument read = cmdline::driver_argument(words, i);
    const auto both = words.subspan(i, read.size);
    i += read.size;
    if (read.input)
      result.sources.push_back(both.front());
    else if (read.option != nullptr && read.option->is(cmdline::driver_use::writes_module))
      return failure("the compile command has " + both.front() +
                         ", and compiling a module writes its interface",
                     "C++ modules are not supported: check the object itself with nm -u");
    else if (read.option == nullptr || !read.option->is(cmdline::driver_use::not_in_object))
      result.flags.insert(result.flags.end(), both.begin(), both.end());
  }
  return result;
}

bool is_c(const Invocation& invocation, const std::string& source) {
  std::string language;
  for (std::size_t i = 0; i < invocation.flags.size(); ++i)
    if (const std::string& flag = invocation.flags[i]; flag.starts_with("-x"))
      language = flag.size() > 2                   ? flag.substr(2)
                 : i + 1 < invocation.flags.size() ? invocation.flags[i + 1]
                                                   : "";
  if (!language.empty() && language != "none")
    return language == "c";
  return source.ends_with(".c") && !driver_name(base_name(invocation.driver));
}

std::vector<std::string> object_command(const Invocation& invocation, Family family,
                                        const std::string& source, const std::string& object) {
  // A compiler may be a link to ccache, which needs no copy of this object.
  std::vector<std::string> words{"env", "CCACHE_DISABLE=1", invocation.driver};
  words.insert(words.end(), invocation.flags.begin(), invocation.flags.end());
  // -g never changes the code; Clang's -g1 leaves out which function of a name was inlined. -w: warnings were
  // seen in the build.
  for (const char* const flag : {family == Family::clang ? "-g2" : "-g1", "-w", "-c"})
    words.emplace_back(flag);
  words.push_back(source);
  words.emplace_back("-o");
  words.push_back(object);
  return words;
}

std::vector<std::string> own_directories(const std::vector<std::string>& flags) {
  constexpr auto wanted = std::to_array<std::string_view>({"-I", "-iquote"});
  std::vector<std::string> directories = directories_after(wanted, flags);
  std::erase_if(directories, [](const std::string& directory) {
    return directory == "/usr/include" || directory == "/usr/local/include";
  });
  return directories;
}

std::vector<std::string> named_system_directories(const std::vector<std::string>& flags) {
  constexpr auto wanted = std::to_array<std::string_view>({"-isystem", "-idirafter", "-cxx-isystem"});
  return directories_after(wanted, flags);
}

std::vector<std::string> system_directories(const Files& files, const Compiler& compiler,
                                            const std::vector<std::string>& own) {
  std::vector<std::string> real;
  for (const std::string& directory : own)
    real.push_back(files.real_path(directory).value_or(directory));
  std::vector<std::string> directories = compiler.include_directories;
  std::erase_if(directories, [&](const std::string& directory) {
    return std::find(real.begin(), real.end(), files.real_path(directory).value_or(directory)) != real.end();
  });
  return directories;
}

ParsePlan parse_plan(const Invocation& invocation, const CompileCommand& command, const Compiler* compiler,
                     std::vector<std::string> system, const std::string& resources) {
  ParsePlan plan;
  plan.source = command.source;
  plan.directory = command.directory;
  plan.flags = invocation.flags;
  plan.is_c = is_c(invocation, command.source);
  plan.resources = resources;
  plan.system_directories = std::move(system);
  if (compiler == nullptr)
    return plan;
  plan.triple = compiler->target;
  if (!plan.is_c)
    plan.standard = standard_of(compiler->default_cplusplus);
  // Clang claims to be GCC 4.2, for which headers declare less. For GCC 11 and later, glibc uses attributes
  // that Clang does not support.
  if (compiler->family == Family::gcc)
    plan.gcc_version = to_full_string(std::min(compiler->version, Version{10, 2, 0}));
  return plan;
}

} // namespace hostpin::probe
