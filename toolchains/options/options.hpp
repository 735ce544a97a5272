// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace hostpin {

// How the command lines of all programs but the launcher are read, and what their help and errors look like.

/// What a command line holds besides options.
struct Operands {
  std::string help; ///< the text of --help where that is asked for; then nothing else counts
  std::vector<std::string> words;
  std::optional<std::vector<std::string>> behind_dashes; ///< what follows a lone `--`, if there is one
};

/// Has the help of `app` begin with these ways to call it, each without the program's name.
void add_usage(CLI::App& app, std::initializer_list<const char*> calls);

/// Reads the words behind the program's name. Of a value that is given twice the last one holds, and none may
/// be empty. Where `app` is a prefix command the first word that is no option ends the options: it and all
/// that follows are `words`.
Result<Operands> read_options(CLI::App& app, std::span<const char* const> arguments);

/// An error whose hint is the help of `app`.
tl::unexpected<Error> misuse(const CLI::App& app, std::string message);

/// What CLI11 found wrong, without its name for the app.
std::string in_words(const CLI::ParseError& wrong);

/// The long option of `app` that an unknown one is near to; empty when there is none.
std::string option_near(const CLI::App& app, const std::string& word);

/// Lines of a help text, the longer ones continued below their second column.
std::string wrapped_help(const std::string& help, std::size_t width);

} // namespace hostpin
