// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace CLI {
class App; // CLI/CLI.hpp takes seconds to compile: for those units only that add options
class ParseError;
} // namespace CLI

namespace hostpin::options {

// The parser of the command lines of all programs but the launcher, and the form of their help and errors.

/// The arguments other than options.
struct Operands {
  std::string help; ///< the text of --help if requested; then nothing else counts
  std::vector<std::string> words;
  std::optional<std::vector<std::string>> after_dashes; ///< the arguments after a lone `--`, if there is one
};

/// Begins the help of `app` with these usage lines, each without the program's name.
void add_usage(CLI::App& app, std::initializer_list<const char*> calls);

/// Parses the arguments after the program's name. If an option is given twice the last value applies, and no
/// value may be empty. If `app` is a prefix command, the first argument that is not an option ends the
/// options: it and all that follow are `words`.
Result<Operands> read_options(CLI::App& app, std::span<const char* const> arguments);

/// What a program returns if there are no operands to handle: the error, or Options with nothing but the
/// help.
template <typename Options>
Result<Options> error_or_help(const Result<Operands>& operands) {
  if (!operands)
    return tl::unexpected(operands.error());
  Options options;
  options.help = operands->help;
  return options;
}

/// An error whose hint is the help of `app`.
tl::unexpected<Error> misuse(const CLI::App& app, std::string message);

/// The word in place of a command, where `app` or the command that was parsed last has commands, and none of
/// them was named. A parser that is asked for help reports it instead. A command that also reads files, as
/// `fatbin` does, accepts the name of a file.
std::optional<std::string> unknown_command(const CLI::App& app);

/// CLI11's error without its name for the app.
std::string in_words(const CLI::ParseError& wrong);

/// The long option of `app` that is similar to an unknown one; empty if there is none.
std::string option_near(const CLI::App& app, const std::string& word);

/// Lines of a help text, the longer ones continued below their second column.
std::string wrapped_help(const std::string& help, std::size_t width);

} // namespace hostpin::options
