// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/compile_command.hpp"

#include "toolchains/cmdline/response.hpp"
#include "toolchains/cmdline/tokens.hpp"

#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hostpin {

namespace {

constexpr std::size_t largest_database = std::size_t{512} << 20;
constexpr const char* how_to_make = "CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON";

Result<std::vector<std::string>> words_of_entry(const nlohmann::json& entry) {
  if (const auto list = entry.find("arguments"); list != entry.end()) {
    std::vector<std::string> words;
    if (!list->is_array())
      return failure("'arguments' is no list");
    for (const nlohmann::json& word : *list) {
      if (!word.is_string())
        return failure("'arguments' holds something that is no string");
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
    return failure("it is no object");
  const auto text = [&](const char* key) {
    const auto found = entry.find(key);
    return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  auto words = words_of_entry(entry);
  if (!words)
    return tl::unexpected(words.error());
  if (words->empty())
    return failure("its command is empty");
  const std::string file = text("file");
  if (file.empty())
    return failure("it has no 'file'");
  const std::string directory = absolute_path(text("directory"), database_directory);
  return CompileCommand{directory, std::move(*words), absolute_path(file, directory)};
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
  const auto status = files.status(path);
  const bool in_directory = status && status->kind == FileStatus::Kind::directory;
  const std::string file = in_directory ? path + "/compile_commands.json" : path;
  const auto text = files.read(file, largest_database);
  if (!text)
    return failure(text.error().message, how_to_make);
  const nlohmann::json database = nlohmann::json::parse(*text, nullptr, false);
  if (!database.is_array())
    return failure(file + " is no compile database: it is not a JSON list", how_to_make);
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

} // namespace hostpin
