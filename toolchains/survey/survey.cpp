// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/survey/survey.hpp"

#include "toolchains/base/search.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/survey/target.hpp"
#include "toolchains/table/distribution.hpp"
#include "toolchains/toolkit/stand_in.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace hostpin {

namespace {

void fill(std::optional<std::string>& name, std::string& by, std::string& at, const Environment& environment,
          const char* variable, const std::optional<std::string>& configured,
          const std::map<std::string, std::string>& places, const char* key) {
  if (name)
    return;
  if ((name = environment[variable])) {
    by = fmt::format("${}", variable);
  } else if ((name = configured)) {
    by = "configuration";
    if (const auto place = places.find(key); place != places.end())
      at = place->second;
  }
}

/// Prefixes an error about what the configuration names with the position in that file.
template <typename T>
void locate(Result<T>& result, const std::string& at) {
  if (!result && !at.empty())
    result.error().message.insert(0, at + ": ");
}

std::optional<NamedDriver> named(const std::optional<std::string>& words, const std::string& by) {
  return words ? std::optional(NamedDriver{*words, by}) : std::nullopt;
}

Error error_of(const BrokenCompiler& broken) {
  const std::string command = joined(broken.command, " ");
  return {fmt::format("{} ({}) is not a usable C++ compiler: {}", command, broken.origin, broken.reason),
          "name another one, or run it by hand to see what is wrong: " + command + " -v -E -x c++ /dev/null",
          broken.kind};
}

Result<Compiler> compiler_of(const ProbeAnswer& answer) {
  if (const auto* compiler = std::get_if<Compiler>(&answer))
    return *compiler;
  return tl::unexpected(error_of(std::get<BrokenCompiler>(answer)));
}

/// All drivers, probed in one batch, and the answers of the two that are named. The versions of toolkits are
/// queried in the same batch.
struct Drivers {
  Result<Compiler> stdenv;
  Result<Compiler> found; ///< what would be the stdenv without a target
  Result<Compiler> host;
  CompilerSurvey all;
  std::vector<std::string> looked;
  std::vector<Outcome> toolkit_versions;
};

/// Appends a named driver to the batch; returns its index, or nothing if it was not found.
std::optional<std::size_t> join(const Result<DriverCandidate>& driver, std::vector<DriverCandidate>& round) {
  if (!driver)
    return std::nullopt;
  round.push_back(*driver);
  return round.size() - 1;
}

Drivers ask_drivers(const Request& request, const std::string& triple, const SurveyInputs& inputs,
                    const IsOwn& is_own, const ToolkitSearch& toolkits) {
  auto stdenv =
      find_stdenv(inputs.files, inputs.environment, named(request.stdenv, request.stdenv_by), is_own);
  // $CXX and PATH may have a native one, which is then passed over.
  Result<DriverCandidate> cross = failure("");
  if (!triple.empty() && !request.stdenv)
    cross = find_cross_stdenv(inputs.files, inputs.environment, triple, is_own);
  Result<DriverCandidate> host = failure("");
  if (request.host)
    host = named_driver(inputs.files, inputs.environment, {*request.host, request.host_by}, is_own);
  DriverSearch search =
      discover_drivers(inputs.files, inputs.environment, inputs.config.compilers, is_own,
                       inputs.config.searches_machine ? SearchScope::machine : SearchScope::named);

  std::optional<Error> two_sysroots;
  if (request.sysroot) {
    for (auto* const each : {&stdenv, &cross, &host})
      if (*each) {
        *each = with_sysroot(**each, *request.sysroot);
        if (!*each)
          two_sysroots = each->error();
      }
    add_sysroot(search.candidates, cross ? cross : stdenv, *request.sysroot);
  }

  // The named ones come first: of several spellings of one compiler the first is used.
  std::vector<DriverCandidate> round;
  const auto stdenv_at = join(stdenv, round);
  const auto cross_at = join(cross, round);
  const auto host_at = join(host, round);
  round.insert(round.end(), search.candidates.begin(), search.candidates.end());
  std::vector<Command> commands = probe_commands(round);
  for (Command& version : version_commands(distinct_candidates(inputs.files, toolkits)))
    commands.push_back(std::move(version));
  std::vector<Outcome> outcomes = inputs.processes.run(commands);
  const auto versions = outcomes.begin() + std::ssize(round);
  std::vector<ProbeAnswer> answers = read_answers(inputs.files, round, {outcomes.begin(), versions});

  const Result<Compiler> found =
      stdenv_at ? compiler_of(answers[*stdenv_at]) : Result<Compiler>(tl::unexpected(stdenv.error()));
  Result<Compiler> chosen = found;
  if (two_sysroots)
    chosen = tl::unexpected(*std::move(two_sysroots));
  else if (!triple.empty())
    chosen =
        stdenv_for(triple, request, std::move(chosen),
                   cross_at ? std::optional(compiler_of(answers[*cross_at])) : std::nullopt, answers, inputs);
  Drivers drivers{std::move(chosen),
                  found,
                  host_at ? compiler_of(answers[*host_at]) : Result<Compiler>(tl::unexpected(host.error())),
                  distinct_compilers(std::move(answers)),
                  std::move(search.looked),
                  {versions, outcomes.end()}};
  drivers.all.broken.insert(drivers.all.broken.end(), search.rejected.begin(), search.rejected.end());
  return drivers;
}

/// A driver for nvcc's question about its host compiler; empty if there is none.
std::string preprocessor(const Drivers& drivers) {
  for (const Compiler& compiler : drivers.all.compilers)
    if (compiler.command.size() == 1 && compiler.family != Family::other)
      return compiler.command.front();
  return {};
}

std::vector<std::string> watched(const Drivers& drivers, const ToolkitSearch& toolkits,
                                 const SurveyInputs& inputs) {
  std::vector<std::string> looked = drivers.looked;
  for (const auto* const more : {&toolkits.looked, &inputs.config.consulted, &inputs.table.files})
    looked.insert(looked.end(), more->begin(), more->end());
  std::sort(looked.begin(), looked.end());
  looked.erase(std::unique(looked.begin(), looked.end()), looked.end());
  return looked;
}

/// The command that gets what is missing without root, if there is a client for the distribution; empty
/// otherwise.
std::string setup_command(const SurveyInputs& inputs, const std::string& arguments) {
  return package_names(inputs.table, distributions(inputs.files)).client.empty()
             ? std::string()
             : "hostpin setup DIR" + arguments;
}

/// The toolkits to run: the first, if that one is enough, in the hope that it is usable.
ToolkitSearch needed(const ToolkitSearch& search, const Request& request,
                     const std::optional<NamedToolkit>& wanted) {
  ToolkitSearch some = search;
  if (request.one_toolkit && !(wanted && wanted->is_release) && !some.candidates.empty())
    some.candidates.erase(some.candidates.begin() + 1, some.candidates.end());
  return some;
}

/// The toolkits of a machine without any C++ compiler, which nvcc calls before it answers.
ToolkitSurvey probe_alone(ToolkitSurvey unanswered, const ToolkitSearch& search, const SurveyInputs& inputs) {
  const auto stand_in = HostStandIn::make(inputs.environment);
  if (!stand_in)
    return unanswered;
  ToolkitSurvey answered = probe_toolkits(inputs.files, inputs.processes, search, stand_in->path());
  return answered.toolkits.empty() ? std::move(unanswered) : std::move(answered);
}

} // namespace

std::vector<std::string> distributions(const Files& files) {
  constexpr std::size_t limit = 65536;
  for (const char* const path : {"/etc/os-release", "/usr/lib/os-release"})
    if (const auto text = files.read(path, limit))
      return distribution_ids(*text);
  return {};
}

Request completed(Request request, const Environment& environment, const Config& config) {
  fill(request.toolkit, request.toolkit_by, request.toolkit_at, environment, "HOSTPIN_TOOLKIT",
       config.toolkit, config.places, "toolkit");
  fill(request.stdenv, request.stdenv_by, request.stdenv_at, environment, "HOSTPIN_STDENV", config.stdenv,
       config.places, "stdenv");
  fill(request.host, request.host_by, request.host_at, environment, "HOSTPIN_HOST", config.host,
       config.places, "host");
  return request;
}

Survey survey(const Request& request, const SurveyInputs& inputs) {
  const auto wanted = wanted_target(request, inputs.table.platforms, inputs.files);
  const IsOwn is_own = own_programs(inputs.files);
  std::optional<NamedToolkit> wanted_toolkit;
  if (request.toolkit)
    wanted_toolkit = named_toolkit(inputs.files, *request.toolkit, request.toolkit_by);
  const ToolkitSearch search =
      find_toolkits(inputs.files, inputs.environment, wanted_toolkit, inputs.config.toolkits, is_own);
  const ToolkitSearch first = needed(search, request, wanted_toolkit);
  Drivers drivers = ask_drivers(request, wanted ? wanted->triple : "", inputs, is_own, first);
  ToolkitSurvey toolkits =
      probe_toolkits(inputs.files, inputs.processes, first, drivers.toolkit_versions, preprocessor(drivers));
  if (toolkits.toolkits.empty() && first.candidates.size() < search.candidates.size())
    toolkits = probe_toolkits(inputs.files, inputs.processes, search, preprocessor(drivers));
  if (toolkits.toolkits.empty() && !search.candidates.empty() && preprocessor(drivers).empty())
    toolkits = probe_alone(std::move(toolkits), search, inputs);
  Result<Toolkit> toolkit = chosen_toolkit(toolkits, wanted_toolkit);
  if (drivers.stdenv && request.sysroot)
    if (auto unused = unused_sysroot(*drivers.stdenv, *request.sysroot, inputs.files))
      drivers.stdenv = tl::unexpected(*std::move(unused));
  if (!wanted)
    drivers.stdenv = tl::unexpected(wanted.error());
  else
    toolkit = for_stdenv(std::move(toolkit), drivers.stdenv, *wanted, inputs, preprocessor(drivers));
  std::vector<std::string> target_says;
  if (wanted && toolkit && drivers.stdenv)
    target_says = target_notes(*wanted, inputs.environment, drivers.found, *drivers.stdenv, *toolkit);
  if (const std::string command = setup_command(inputs, "");
      toolkits.toolkits.empty() && !request.toolkit && !command.empty())
    toolkit.error().hint += ", or fetch one without root: " + command;
  locate(toolkit, request.toolkit_at);
  locate(drivers.stdenv, request.stdenv_at);
  locate(drivers.host, request.host_at);
  std::vector<std::string> looked = watched(drivers, search, inputs);

  Result<LibraryFacts> library = failure("there is no stdenv");
  if (drivers.stdenv) {
    library = library_facts(inputs.files, inputs.processes, *drivers.stdenv);
    if (library)
      drivers.stdenv->library = library->library;
  }
  return {request,
          std::move(toolkits),
          std::move(toolkit),
          std::move(drivers.stdenv),
          std::move(library),
          std::move(drivers.host),
          std::move(drivers.all),
          std::move(looked),
          std::move(target_says)};
}

namespace {

/// Compilers whose C library is compared: the stdenv, because others are suggested for it, and those of its
/// target that fit otherwise.
std::vector<Compiler> contenders(const Toolkit& toolkit, const Acceptance& acceptance, const Survey& survey,
                                 const Table& table) {
  std::vector<Compiler> compilers;
  if (survey.stdenv)
    compilers.push_back(*survey.stdenv);
  for (const Compiler& compiler : survey.compilers.compilers)
    if ((!survey.stdenv || compiler.target == survey.stdenv->target) &&
        judge(compiler, toolkit, acceptance, table).verdict == Verdict::fits)
      compilers.push_back(compiler);
  return compilers;
}

} // namespace

std::vector<Terms> terms(std::span<const Toolkit> toolkits, const Survey& survey,
                         const SurveyInputs& inputs) {
  std::vector<Result<Gate>> derived = gates(toolkits, inputs.headers);
  std::vector<Terms> all;
  for (std::size_t i = 0; i < toolkits.size(); ++i) {
    Terms& terms = all.emplace_back();
    if (const DocumentedRange* const documented = inputs.table.documented(toolkits[i].version))
      terms.acceptance.documented = *documented;
    if (derived[i])
      terms.acceptance.derived = *std::move(derived[i]);
    else
      terms.gate_error = std::move(derived[i].error());
    if (survey.toolkit && survey.toolkit->nvcc == toolkits[i].nvcc)
      terms.acceptance.libcs = compare_libcs(
          toolkits[i], contenders(toolkits[i], terms.acceptance, survey, inputs.table), inputs.headers);
  }
  return all;
}

std::vector<std::string> notes(const Toolkit& toolkit, const Terms& terms) {
  const std::string release = "CUDA " + to_string(Version{toolkit.version.major, toolkit.version.minor});
  std::vector<std::string> notes;
  if (terms.gate_error)
    notes.push_back(
        fmt::format("{} was judged by its documented range alone: {}", release, terms.gate_error->message));
  else if (!terms.acceptance.documented)
    notes.push_back(
        fmt::format("{} is not in this hostpin's tables: only the toolkit's own gate was evaluated, which "
                    "has no oldest compiler and no exceptions",
                    release));
  for (const LibcComparison& libc : terms.acceptance.libcs)
    if (!libc.clashes)
      notes.push_back(fmt::format("whether the C library {} fits {} was not checked: {}",
                                  libc.c_headers.empty() ? "of some compilers" : "in " + libc.c_headers,
                                  release, libc.clashes.error().message));
  for (const std::string& line : disagreements(terms.acceptance))
    notes.push_back(fmt::format("sources disagree about {}: {}; the stricter one applies", release, line));
  return notes;
}

namespace {

/// How to fetch a compiler for the toolkit, and headers that fit it, if it makes programs for this machine.
std::string fetch_hint(const Toolkit& toolkit, const SurveyInputs& inputs) {
  if (toolkit.target || inputs.table.documented(toolkit.version) == nullptr)
    return {};
  const std::string command =
      setup_command(inputs, fmt::format(" --cuda {}.{}", toolkit.version.major, toolkit.version.minor));
  return command.empty() ? command : "fetch one without root: " + command;
}

/// What to install, among the packages of this system's package manager.
std::string installable(const CompilerPackage& wanted, const std::vector<int>& majors,
                        const SurveyInputs& inputs) {
  const std::vector<std::string> system = distributions(inputs.files);
  Command query{package_query(inputs.table, system, wanted, majors), {}, {}};
  if (query.argv.empty())
    return install_hint(inputs.table, system, wanted, majors);
  const Outcome outcome = inputs.processes.run({&query, 1}).front();
  return install_hint(inputs.table, system, wanted, majors, outcome.output);
}

} // namespace

Assessment assess(const Toolkit& toolkit, const Compiler& stdenv, const Terms& terms, const Survey& survey,
                  const SurveyInputs& inputs) {
  Assessment assessment{{}, failure("")};
  for (const Compiler& compiler : survey.compilers.compilers)
    assessment.judged.push_back(judge(compiler, toolkit, terms.acceptance, inputs.table));

  const Family family = inputs.config.family.value_or(stdenv.family);
  SelectionRules rules{inputs.config.family,
                       {},
                       fetch_hint(toolkit, inputs),
                       survey.request.host_option,
                       inputs.environment.columns().value_or(80),
                       survey.compilers.broken};
  assessment.selection = select(stdenv, assessment.judged, toolkit, terms.acceptance, rules);
  if (!assessment.selection) { // the package manager is run only now, because it is slow
    rules.install =
        installable({family, toolkit.target ? toolkit.target->triple : ""},
                    fitting_majors(family, stdenv, toolkit, terms.acceptance, inputs.table), inputs);
    assessment.selection = select(stdenv, assessment.judged, toolkit, terms.acceptance, rules);
  }
  return assessment;
}

} // namespace hostpin
