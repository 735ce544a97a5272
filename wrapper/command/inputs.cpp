// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/inputs.hpp"

#include "toolchains/headers/program_header_probe.hpp"

namespace hostpin {

int with_survey(const Context& context, const Request& request,
                const std::function<int(const Survey&, const SurveyInputs&)>& use) {
  const auto config = load_config(context.files, context.environment);
  const auto table = load_table(context.files, context.tree.data);
  if (!config || !table) {
    report(config ? table.error() : config.error());
    return exit_broken;
  }
  const auto cache = cache_of(context);
  const ProgramHeaderProbe headers(context.tree.programs + "/stdlib-probe", cache ? *cache + "/headers" : "",
                                   context.files, context.processes);
  const SurveyInputs inputs{context.environment, context.files, context.processes, *config, *table, headers};
  return use(survey(completed(request, context.environment, *config), inputs), inputs);
}

std::optional<Error> without_say_beside_bound(const Request& request, const std::string& directory) {
  if (directory.empty())
    return Error{"--bound names no directory", "name one that hostpin bind has written"};
  const char* const option = request.toolkit             ? "--toolkit"
                             : request.stdenv            ? "--stdenv"
                             : request.host              ? "--host"
                             : request.allow_unsupported ? "--allow-unsupported"
                                                         : nullptr;
  if (option == nullptr)
    return std::nullopt;
  return Error{std::string(option) + " has no say beside --bound: " + directory + " was decided already",
               "leave it out, or decide again: hostpin bind --refresh " + directory + ' ' + option + " ..."};
}

} // namespace hostpin
