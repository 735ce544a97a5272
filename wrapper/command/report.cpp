// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/loader/places.hpp"
#include "wrapper/command/commands.hpp"
#include "wrapper/command/inputs.hpp"
#include "wrapper/command/prediction.hpp"
#include "wrapper/command/report_content.hpp"
#include "wrapper/command/report_helpers.hpp"
#include "wrapper/command/undisturbed.hpp"
#include "wrapper/report/libraries.hpp"
#include "wrapper/report/page.hpp"

#include <array>

#include <fmt/format.h>

namespace hostpin {

namespace {

int broken(const Error& error) {
  report(error);
  return exit_broken;
}

/// Nothing without glibc's loader, the only one whose search is known.
std::optional<ReportLibraries> libraries(const Context& context, const ReportOptions& options,
                                         const Binding& binding) {
  const LinkTarget target =
      link_target(binding.link.command, "libstdc++.so.6", context.files, context.processes);
  if (target.loader.empty())
    return std::nullopt;
  return library_graph(options.trees,
                       {target.loader,
                        loader_places(target.loader, binding.stdenv.target, context.files, context.processes),
                        target.library},
                       context.files);
}

int write(const std::string& output, const std::string& page) {
  if (output == "-") {
    fmt::print("{}", page);
    return exit_fine;
  }
  if (const auto written = write_report(output, page); !written)
    return broken(written.error());
  fmt::print("{}: open it with a browser\n", output);
  return exit_fine;
}

/// The paths of one kind, the option that names them, and a description.
struct Inputs {
  const std::vector<std::string>& names;
  const char* option;
  const char* hint;
};

/// A misspelt name must not pass as an empty tree, or as a file without link-time code.
std::optional<Error> unfit_name(const Context& context, const ReportOptions& options) {
  const std::array rows = {Inputs{options.trees, "--tree", "name an installed tree or a file with --tree"},
                           Inputs{options.answers, "--leaks",
                                  "name a file that holds what leak-check --json has printed with --leaks"},
                           Inputs{options.lto, "--lto", "name objects and archives with --lto"}};
  for (const Inputs& row : rows)
    for (const std::string& name : row.names) {
      if (name.empty())
        return Error{fmt::format("{} has an empty name", row.option), row.hint};
      const bool lists_names = &row.names == &options.lto && name.starts_with('@'); // lto-check reads it
      if (!lists_names && !context.files.status(name))
        return Error{fmt::format("there is no {}", name), row.hint};
    }
  return options.output == "-" ? std::nullopt : unfit_for_report(options.output);
}

int make_report(const Context& context, const ReportOptions& options, const Survey& survey,
                const SurveyInputs& inputs, const Result<Binding>& binding) {
  ReportContent content = report_content(survey, inputs, binding);
  if (!options.lto.empty() || !options.link.empty()) {
    auto lto = check_lto(context, options, binding);
    if (!lto)
      return broken(lto.error());
    content.lto = *std::move(lto);
  }
  if (!options.trees.empty() || !options.answers.empty()) {
    auto leaks = find_leaks(context, options, binding);
    if (!leaks)
      return broken(leaks.error());
    content.leaks = *std::move(leaks);
  }
  if (!options.trees.empty() && binding)
    content.libraries = libraries(context, options, *binding);
  return write(options.output, report_page(content));
}

} // namespace

int run_report(const Context& outer, const ReportOptions& options) {
  return undisturbed(outer, [&](const Context& context) {
    if (const auto wrong = unfit_name(context, options)) // before anything that takes long
      return broken(*wrong);
    if (options.bound)
      if (const auto wrong = without_say_beside_bound(options.request, *options.bound))
        return broken(*wrong);
    const auto here = call_here(context, options.request, options.bound);
    if (!here)
      return broken(here.error());
    return with_prediction(
        context, *here, {}, false,
        [&](const Prediction& prediction, const Survey& survey, const SurveyInputs& inputs) {
          ReportOptions shown = options;
          if (here->bound && prediction.binding && !prediction.binding->plan.named)
            shown.bound = here->self.directory;
          return make_report(context, shown, survey, inputs, prediction.binding);
        });
  });
}

} // namespace hostpin
