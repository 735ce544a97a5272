// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/options.hpp"

#include "toolchains/options/options.hpp"

#include <CLI/CLI.hpp>

namespace hostpin::probe {

namespace {

constexpr const char* description =
    "Which lines of a source need which versioned symbol of libstdc++, inlined and instantiated code "
    "included. "
    "The compile command is run with its output in a private directory, so that the answer is about that "
    "object.";

constexpr const char* footer =
    "Without --max and --against everything newer than GLIBCXX_3.4 and CXXABI_1.3 is listed. Evidence "
    "\"syntax\", from syntax trees alone, is experimental.\n\n"
    "exit code: 0 nothing is above the limit (or none was given), 1 something is, 2 something could not be "
    "checked";

void add_options(CLI::App& app, WhyOptions& options) {
  app.add_option("--max", options.max,
                 "only what is newer, such as GLIBCXX_3.4.30 or CXXABI_1.3.13; once for each of the two")
      ->type_name("VERSION")
      ->allow_extra_args(false);
  app.add_option("--against", options.against, "only what this libstdc++.so.6 does not define")
      ->type_name("LIBRARY");
  app.add_option("-p", options.database,
                 "read the commands from a compile_commands.json, or the directory that contains it")
      ->type_name("PATH");
  app.add_flag("--chain", options.chain, "show how each line leads to its symbol");
  app.add_flag(
      "--predict", options.predict,
      "experimental: do not compile, and print what an object may need at most, from the source alone");
  CLI::Option* const object = app.add_flag("--object", options.object,
                                           "SOURCE is an object or an archive, compiled with -g; nothing is "
                                           "compiled, and the compiler only "
                                           "shows which headers are the system's")
                                  ->excludes("--predict");
  app.add_option("--symbol", options.symbols, "only this symbol, as nm prints it; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->needs(object);
  app.add_flag("--lines", options.lines, "print only lines of SYMBOL, a tab, FILE:LINE");
  app.add_option("--library", options.library,
                 "the libstdc++.so.6 that defines the versions, instead of the compiler's own")
      ->type_name("LIBRARY");
  app.add_flag("--json", options.json, "print JSON");
}

} // namespace

Result<WhyOptions> why_options(std::span<const char* const> arguments) {
  WhyOptions options;
  CLI::App app(description, "hostpin stdlib-probe why");
  options::add_usage(app, {"[OPTIONS] SOURCE... -- COMPILER FLAGS", "[OPTIONS] -p DIRECTORY|FILE [SOURCE...]",
                           "[OPTIONS] --object OBJECT... -- COMPILER FLAGS"});
  add_options(app, options);
  app.footer(footer);
  auto operands = options::read_options(app, arguments);
  if (!operands || !operands->help.empty())
    return options::error_or_help<WhyOptions>(operands);
  options.sources = std::move(operands->words);
  options.command = std::move(operands->after_dashes).value_or(std::vector<std::string>{});
  if (!options.max.empty() && !options.against.empty())
    return failure("--max and --against cannot be combined", "give one of them");
  if (options.object && (!options.database.empty() || options.sources.empty()))
    return failure("--object takes objects, and after `--` the compiler that made them",
                   "such as: --object a.o -- g++");
  if (options.database.empty() == options.command.empty())
    return failure(options.command.empty() ? "there is no compile command"
                                           : "-p cannot be combined with a compile command",
                   "write `-- g++ -O2 ...` after the sources, or -p with a compile_commands.json");
  return options;
}

} // namespace hostpin::probe
