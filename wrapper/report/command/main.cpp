// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/frame.hpp"
#include "wrapper/report/command/report.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include <CLI/CLI.hpp>

namespace {

using namespace hostpin;
using namespace hostpin::command;

/// What a page of a matrix has, which is made of stored results alone.
void add_report_matrix(CLI::App& app, ReportOptions& options) {
  CLI::Option* const matrix =
      app.add_option("--matrix", options.matrix,
                     "a page of the results that hostpin matrix merge wrote to FILE, a row for each cell")
          ->type_name("FILE");
  for (CLI::Option* const other : app.get_options())
    if (other != matrix && other->get_name() != "--help" && other->get_name() != "--output")
      matrix->excludes(other);
  app.add_option("--before", options.before, "with --matrix: earlier results; what differs comes first")
      ->type_name("FILE")
      ->needs(matrix);
}

void add_report(CLI::App& app, ReportOptions& options) {
  add_request(app, options.request);
  app.add_option("--bound", options.bound, "show this bound directory instead of the names above")
      ->type_name("DIR");
  app.add_option("-o,--output", options.output,
                 "the page: a new file, or an earlier report to replace; - for standard output")
      ->type_name("FILE")
      ->required();
  app.add_option(
         "--tree", options.trees,
         "an installed tree or a file: its leaks, and which file leads to which libstdc++; may be repeated")
      ->type_name("PATH")
      ->allow_extra_args(false);
  app.add_option("--leaks", options.answers,
                 "findings that leak-check --json printed before, in FILE; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  CLI::Option* const lto =
      app.add_option("--lto", options.lto, "objects and archives whose link-time code is judged")
          ->type_name("FILE");
  app.add_option("link", options.link,
                 "after --: a link command, which is not run, whose link-time code is judged")
      ->excludes(lto);
  add_report_matrix(app, options);
}

/// Link commands follow `--`; without it, an argument is more likely a tree.
std::optional<Error> misplaced_link(const ReportOptions& options, std::span<char* const> arguments) {
  if (options.link.empty() ||
      std::find(arguments.begin(), arguments.end(), std::string_view("--")) != arguments.end())
    return std::nullopt;
  return Error{"report does not accept " + options.link.front(),
               "a tree follows --tree, a link command follows --"};
}

} // namespace

int main(int argc, char** argv, char** envp) {
  ReportOptions options;
  return separate_main(argc, argv, envp,
                       {"report", [&](CLI::App& app) { add_report(app, options); },
                        [&](const Context& context) { return run_report(context, options); },
                        [&](const CLI::App&, std::span<char* const> arguments) {
                          return misplaced_link(options, arguments);
                        }});
}
