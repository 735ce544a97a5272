// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/usage.hpp"

#include "toolchains/base/nearest.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/options/options.hpp"
#include "wrapper/bind/text.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace hostpin {

namespace {

bool is_option(const std::string& word) {
  return word.starts_with('-') && word != "-";
}

/// Whether an unparsed option precedes the command.
bool precedes_command(const CLI::App& app, const CLI::App* command) {
  const std::vector<std::string> left = app.remaining();
  return command != nullptr && !left.empty() && is_option(left.front());
}

std::string message(const CLI::App& app, const CLI::App* command, const CLI::ParseError& wrong) {
  const std::vector<std::string> left = app.remaining(true); // arguments that nothing has parsed
  const std::string name = command != nullptr ? command->get_name() : app.get_name();
  if (command == nullptr && left.empty())
    return name + " needs a command";
  // A misspelt option leaves the right one missing, and is the one to report.
  const bool lacks = wrong.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError);
  const bool has_more = wrong.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  if (left.empty() || !(has_more || (lacks && (command == nullptr || is_option(left.front())))))
    return name + ": " + in_words(wrong);
  if (precedes_command(app, command))
    return fmt::format("{} has no option {}", app.get_name(), escaped(app.remaining().front()));
  const std::string word = escaped(left.front());
  if (is_option(left.front()))
    return fmt::format("{} has no option {}", name, word);
  return command != nullptr ? fmt::format("{} does not know what to do with '{}'", name, word)
                            : fmt::format("{} has no command '{}'", name, word);
}

/// The arguments of an unquoted list, as one argument.
std::string as_list(const CLI::App& capabilities) {
  auto list = capabilities.get_option("list")->as<std::string>();
  for (const std::string& word : capabilities.remaining())
    list += ';' + word;
  return shell_word(list);
}

/// A suggestion, if the unparsed arguments show what was meant.
std::optional<std::string> likely(const CLI::App& app, const CLI::App& command) {
  const std::vector<std::string> left = command.remaining();
  if (left.empty())
    return std::nullopt;
  const std::string name = app.get_name() + ' ' + command.get_name();
  if (command.get_name() == "explain" && is_option(left.front()))
    return fmt::format("the call follows --: {0} -- nvcc {1} ...; {0} --help says what else it takes", name,
                       escaped(left.front()));
  if (command.get_name() == "capabilities" && std::none_of(left.begin(), left.end(), is_option) &&
      command.count("list") > 0)
    return fmt::format("quote the list, so that it is one word: {} {}", name, escaped(as_list(command)));
  return std::nullopt;
}

/// The unparsed argument, if it is similar to a command or an option.
std::string meant(const CLI::App& app, const CLI::App* command) {
  const std::vector<std::string> left = app.remaining(true);
  if (left.empty())
    return {};
  if (is_option(left.front()))
    return option_near(command != nullptr ? *command : app, left.front());
  std::vector<std::string> known;
  if (command == nullptr)
    for (const CLI::App* const each : app.get_subcommands([](const CLI::App*) { return true; }))
      known.push_back(each->get_name());
  return nearest(left.front(), known);
}

} // namespace

Error usage_error(const CLI::App& app, const CLI::ParseError& wrong) {
  const std::vector<const CLI::App*> commands =
      app.get_subcommands([](const CLI::App* each) { return each->parsed(); });
  const CLI::App* const command = commands.empty() ? nullptr : commands.front();
  if (precedes_command(app, command))
    return {message(app, command, wrong),
            fmt::format("options follow the command: {} {} ...", app.get_name(), command->get_name())};
  if (command != nullptr)
    if (auto next = likely(app, *command))
      return {message(app, command, wrong), *std::move(next)};
  const std::string near = meant(app, command);
  const std::string help = command != nullptr ? app.get_name() + ' ' + command->get_name() : app.get_name();
  return {message(app, command, wrong),
          fmt::format("{}{} --help {}", near.empty() ? "" : fmt::format("did you mean {}? ", near), help,
                      command != nullptr ? "says what it takes" : "lists what there is")};
}

} // namespace hostpin
