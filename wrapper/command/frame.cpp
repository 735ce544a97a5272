// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/frame.hpp"

#include "toolchains/base/nearest.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/terminal.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/options/options.hpp"
#include "wrapper/command/programs.hpp"
#include "wrapper/hot/system.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace hostpin::command {

namespace {

bool is_option(const std::string& word) {
  return word.starts_with('-') && word != "-";
}

/// Whether an unparsed option precedes the command.
bool precedes_command(const CLI::App& app, const CLI::App* command) {
  const std::vector<std::string> left = app.remaining();
  return command != nullptr && !left.empty() && is_option(left.front());
}

/// `fatbin slim`: the command, after the one that it belongs to.
std::string name_of(const CLI::App& app, const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return parent == &app || parent == nullptr ? command.get_name()
                                             : parent->get_name() + ' ' + command.get_name();
}

std::string message(const CLI::App& app, const CLI::App* command, const CLI::ParseError& wrong) {
  const std::vector<std::string> left = app.remaining(true); // arguments that nothing has parsed
  const std::string name = command != nullptr ? name_of(app, *command) : app.get_name();
  if (command == nullptr && left.empty())
    return name + " needs a command";
  // A misspelt option leaves the right one missing, and is the one to report.
  const bool lacks = wrong.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError);
  const bool has_more = wrong.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  if (left.empty() || !(has_more || (lacks && (command == nullptr || is_option(left.front())))))
    return name + ": " + options::in_words(wrong);
  if (precedes_command(app, command))
    return fmt::format("{} has no option {}", app.get_name(), escaped(app.remaining().front()));
  const std::string word = escaped(left.front());
  if (is_option(left.front()))
    return fmt::format("{} has no option {}", name, word);
  return command != nullptr ? fmt::format("{} does not accept '{}'", name, word)
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
    return fmt::format("the call follows --: {0} -- nvcc {1} ...; {0} --help lists its options", name,
                       escaped(left.front()));
  if (command.get_name() == "capabilities" && std::none_of(left.begin(), left.end(), is_option) &&
      command.count("list") > 0)
    return fmt::format("quote the list, so that it is one argument: {} {}", name, escaped(as_list(command)));
  return std::nullopt;
}

/// The unparsed argument, if it is similar to a command or an option.
std::string meant(const CLI::App& app, const CLI::App* command) {
  const std::vector<std::string> left = app.remaining(true);
  if (left.empty())
    return {};
  if (is_option(left.front()))
    return options::option_near(command != nullptr ? *command : app, left.front());
  std::vector<std::string> known;
  if (command == nullptr)
    for (const CLI::App* const each : app.get_subcommands([](const CLI::App*) { return true; }))
      known.push_back(each->get_name());
  return nearest(left.front(), known);
}

/// The command that was parsed, or that command's own one; null if there is none.
const CLI::App* parsed_command(const CLI::App& app) {
  const auto is_parsed = [](const CLI::App* each) { return each->parsed(); };
  const CLI::App* command = nullptr;
  for (auto found = app.get_subcommands(is_parsed); !found.empty();
       found = command->get_subcommands(is_parsed))
    command = found.front();
  return command;
}

/// What is wrong with a command line, in the form of the other programs here, and which help to read.
Error usage_error(const CLI::App& app, const CLI::ParseError& wrong) {
  const CLI::App* const command = parsed_command(app);
  if (precedes_command(app, command))
    return {message(app, command, wrong),
            fmt::format("options follow the command: {} {} ...", app.get_name(), name_of(app, *command))};
  if (command != nullptr)
    if (auto next = likely(app, *command))
      return {message(app, command, wrong), *std::move(next)};
  const std::string near = meant(app, command);
  const std::string help =
      command != nullptr ? app.get_name() + ' ' + name_of(app, *command) : app.get_name();
  return {message(app, command, wrong),
          fmt::format("{}{} --help {}", near.empty() ? "" : fmt::format("did you mean {}? ", near), help,
                      command != nullptr ? "lists its options" : "lists the commands")};
}

/// What is wrong with a call for the help of a command that does not exist.
Error no_command(const CLI::App& app, const std::string& word) {
  const CLI::App* const command = parsed_command(app);
  const CLI::App& owner = command != nullptr ? *command : app;
  std::vector<std::string> known;
  for (const CLI::App* const each : owner.get_subcommands([](const CLI::App*) { return true; }))
    if (!each->get_group().empty()) // the others are not for users
      known.push_back(each->get_name());
  const std::string near = nearest(word, known);
  return {fmt::format("{} has no command '{}'{}", owner.get_name(), escaped(word),
                      command != nullptr ? ", and there is no such file" : ""),
          fmt::format("{}{} --help lists the commands",
                      near.empty() ? "" : fmt::format("did you mean {}? ", near),
                      command != nullptr ? app.get_name() + ' ' + name_of(app, *command) : app.get_name())};
}

} // namespace

const char* const description =
    "An nvcc that selects a host compiler that fits and pins the libstdc++ of everything else.";

void add_request(CLI::App& app, Request& request) {
  app.add_option("--toolkit", request.toolkit,
                 "CUDA toolkit: its directory, an nvcc, or a release that is found")
      ->type_name("DIR");
  app.add_option("--stdenv", request.stdenv, "C++ compiler driver that builds everything else")
      ->type_name("CXX");
  app.add_option("--host", request.host, "host compiler to use; it has to fit")->type_name("CXX");
  app.add_flag("--allow-unsupported", request.allow_unsupported, "use a host compiler that does not fit");
}

void add_target(CLI::App& app, Request& request) {
  app.add_option("--target", request.target,
                 "what programs are made for: a triple, or NVIDIA's name of a platform (default: what the "
                 "stdenv makes)")
      ->type_name("TRIPLE");
  app.add_option("--sysroot", request.sysroot,
                 "root of the target's system, for the stdenv and host compilers")
      ->type_name("DIR");
}

std::vector<char*> with_usual_arguments(int argc, char** argv) {
  static char help[] = "--help", version[] = "--version"; // main's argv is not const
  std::vector<char*> words(argv, argv + argc);
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "version")
    words[1] = version;
  if (first == "help") {
    words.erase(words.begin() + 1);
    words.push_back(help);
  }
  return words;
}

std::optional<int> parse(CLI::App& app, std::span<char* const> arguments, const Environment& environment) {
  app.require_subcommand(1);
  const std::size_t width = terminal_width(environment, STDOUT_FILENO);
  try {
    app.parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const CLI::ParseError& error) {
    const auto unknown = options::unknown_command(app);
    if (error.get_exit_code() == 0 && unknown) {
      report(no_command(app, *unknown));
      return exit_broken;
    }
    if (error.get_exit_code() == 0) { // help or version; std::cout would lose the reason of a write error
      std::ostringstream text;
      const int code = app.exit(error, text, text);
      std::fputs(options::wrapped_help(text.str(), width).c_str(), stdout);
      return code;
    }
    report(usage_error(app, error));
    if (arguments.size() == 1) // without arguments: list the commands on stderr
      print_error('\n' + options::wrapped_help(app.help(), width));
    return exit_broken;
  }
  return std::nullopt;
}

namespace {

int run_separate(int argc, char** argv, char** envp, const SeparateCommand& command) {
  const Environment environment = Environment::from(envp);
  CLI::App app{description, "hostpin"};
  CLI::App& parser = *app.add_subcommand(command.name, installed_program(command.name)->description);
  command.add_options(parser);
  std::string program = "hostpin", name = command.name; // of `hostpin NAME ARGUMENT...`
  std::vector<char*> arguments{program.data(), name.data()};
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  if (const auto code = parse(app, arguments, environment))
    return *code;
  if (command.misuse)
    if (const auto wrong = command.misuse(parser, arguments)) {
      report(*wrong);
      return exit_broken;
    }
  return with_context(environment, command.run);
}

} // namespace

int separate_main(int argc, char** argv, char** envp, const SeparateCommand& command) {
  keep_standard_streams();
  const auto code = written_whole([&] { return run_separate(argc, argv, envp, command); });
  if (code)
    return *code;
  report(code.error());
  return exit_broken;
}

} // namespace hostpin::command
