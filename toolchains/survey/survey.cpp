// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/survey/survey.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/binary/machine.hpp"
#include "toolchains/table/distribution.hpp"
#include "toolchains/toolkit/target.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
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
  std::string command;
  for (const std::string& word : broken.command)
    command += (command.empty() ? "" : " ") + word;
  return {fmt::format("{} ({}) is not a usable C++ compiler: {}", command, broken.origin, broken.reason),
          "name another one, or run it by hand to see what is wrong: " + command + " -v -E -x c++ /dev/null"};
}

Result<Compiler> compiler_of(const ProbeAnswer& answer) {
  if (const auto* compiler = std::get_if<Compiler>(&answer))
    return *compiler;
  return tl::unexpected(error_of(std::get<BrokenCompiler>(answer)));
}

/// The candidate with that sysroot. An error if it has another one, or if the sysroot is not a directory:
/// some compilers silently take their own headers and libraries then.
Result<DriverCandidate> with_sysroot(DriverCandidate candidate, const std::string& sysroot,
                                     const Files& files) {
  if (const auto status = files.status(sysroot); !status || status->kind != FileStatus::Kind::directory)
    return failure(fmt::format("--sysroot {}: not a directory", sysroot),
                   "name the directory that has the target's usr/include and its libraries");
  constexpr std::string_view option = "--sysroot=";
  for (const std::string& word : candidate.command) {
    if (!word.starts_with(option))
      continue;
    if (word.substr(option.size()) == sysroot)
      return candidate;
    return failure(fmt::format("{} ({}) already has {}, and --sysroot names {}",
                               shell_words(candidate.command), candidate.origin, word, sysroot),
                   "name one sysroot");
  }
  candidate.command.push_back(std::string(option) + sysroot);
  return candidate;
}

/// What the driver's name says of its target; empty for one of this machine.
std::string named_target(const DriverCandidate& candidate) {
  const auto name = driver_name(base_name(candidate.command.front()));
  return name ? name->target : std::string();
}

/// Gives it to the drivers that are named for the same target, so that they are asked as they would be
/// called.
void add_sysroot(std::vector<DriverCandidate>& candidates, const Result<DriverCandidate>& stdenv,
                 const std::string& sysroot, const Files& files) {
  const std::string target = stdenv ? named_target(*stdenv) : std::string();
  for (DriverCandidate& candidate : candidates)
    if (named_target(candidate) == target)
      if (auto with = with_sysroot(candidate, sysroot, files))
        candidate = *std::move(with);
}

/// How to install a compiler for the target.
std::string cross_hint(const std::string& triple, const SurveyInputs& inputs) {
  const std::string package = cross_package(inputs.table, distributions(inputs.files), triple);
  return fmt::format("{}name one with --stdenv or $CXX, such as {}-g++ or \"clang++ --target={}\"",
                     package.empty() ? "" : fmt::format("install {}, or ", package), triple, triple);
}

/// The stdenv that makes programs for `triple`: the one that is named, else the driver of that name on PATH,
/// else any driver of that target. `found`: what would be the stdenv without a target.
Result<Compiler> stdenv_for(const std::string& triple, const Request& request, Result<Compiler> found,
                            const ProbeAnswer* cross, const std::vector<ProbeAnswer>& answers,
                            const SurveyInputs& inputs) {
  const auto serves = [&](const Compiler& compiler) {
    return architecture_of(compiler.target) == architecture_of(triple) &&
           compiler.target.find("-linux") != std::string::npos;
  };
  if (request.stdenv && !found)
    return found;
  if (found && serves(*found))
    return found;
  if (request.stdenv)
    return failure(fmt::format("{} ({}) makes programs for {}, not for {}", shell_words(found->command),
                               request.stdenv_by, found->target, triple),
                   cross_hint(triple, inputs));
  if (cross != nullptr)
    return compiler_of(*cross);
  for (const ProbeAnswer& answer : answers)
    if (const auto* const compiler = std::get_if<Compiler>(&answer); compiler != nullptr && serves(*compiler))
      return *compiler;
  return failure(fmt::format("no C++ compiler makes programs for {}", triple), cross_hint(triple, inputs));
}

/// All drivers, probed in one batch, and the answers of the two that are named. The versions of toolkits are
/// queried in the same batch.
struct Drivers {
  Result<Compiler> stdenv;
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

  if (request.sysroot)
    for (auto* const each : {&stdenv, &cross, &host})
      if (*each)
        *each = with_sysroot(**each, *request.sysroot, inputs.files);
  if (request.sysroot)
    add_sysroot(search.candidates, cross ? cross : stdenv, *request.sysroot, inputs.files);

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

  Result<Compiler> chosen =
      stdenv_at ? compiler_of(answers[*stdenv_at]) : Result<Compiler>(tl::unexpected(stdenv.error()));
  if (!triple.empty())
    chosen = stdenv_for(triple, request, std::move(chosen), cross_at ? &answers[*cross_at] : nullptr, answers,
                        inputs);
  Drivers drivers{std::move(chosen),
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

/// The toolkits to run: the first, if that one is enough, in the hope that it is usable.
ToolkitSearch needed(const ToolkitSearch& search, const Request& request) {
  ToolkitSearch some = search;
  if (request.one_toolkit && !some.candidates.empty())
    some.candidates.erase(some.candidates.begin() + 1, some.candidates.end());
  return some;
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

namespace {

/// What `request.target` means; nothing: the target is the stdenv's.
struct WantedTarget {
  std::string triple;                     ///< empty: nothing is wanted
  std::vector<const Platform*> platforms; ///< of a platform's name: that one
};

/// The names that a target can have, for messages.
std::string target_names(const std::vector<Platform>& platforms) {
  std::set<std::string> triples;
  std::string names;
  for (const Platform& platform : platforms)
    if (platform.format == "tar") {
      triples.insert(platform.triple);
      names += ", " + platform.name;
    }
  std::string text;
  for (const std::string& triple : triples)
    text += (text.empty() ? "" : ", ") + triple;
  return text + names;
}

Result<WantedTarget> wanted_target(const Request& request, const std::vector<Platform>& platforms) {
  if (!request.target)
    return WantedTarget{};
  const std::string hint = "name a triple or a platform: " + target_names(platforms);
  const Platform* const row = platform_named(platforms, *request.target);
  const std::string triple = row != nullptr ? row->triple : *request.target;
  const auto rows = row != nullptr ? std::vector{row} : platforms_of(platforms, triple);
  if (rows.empty())
    return failure(fmt::format("--target {}: NVIDIA publishes no CUDA for it", *request.target), hint);
  if (rows.front()->format == "zip")
    return failure(
        fmt::format("--target {}: programs for Windows cannot be built with a GCC or Clang of this "
                    "machine, because nvcc accepts only Microsoft's cl.exe there",
                    *request.target),
        "hostpin redist checks and composes toolkits for it; build on Windows, or " + hint);
  return WantedTarget{triple, rows};
}

/// The foreign target of a stdenv; nothing if its programs are for this machine. Without a platform of its
/// architecture the error says so.
Result<std::optional<ForeignTarget>> foreign_target(const Compiler& stdenv, const WantedTarget& wanted,
                                                    const std::vector<Platform>& platforms) {
  if (binary::runs_here(stdenv.target))
    return std::optional<ForeignTarget>();
  auto rows = wanted.platforms.empty() ? platforms_of(platforms, stdenv.target) : wanted.platforms;
  if (rows.empty())
    return failure(fmt::format("{} ({}) makes programs for {}, for which NVIDIA publishes no CUDA",
                               shell_words(stdenv.command), stdenv.origin, stdenv.target),
                   "name another stdenv with --stdenv or CXX");
  const auto own = platforms_of(platforms, binary::own_triple());
  return std::optional(ForeignTarget{stdenv.target, std::move(rows), platforms_of(platforms, stdenv.target),
                                     own.empty() ? "HOST" : own.front()->name});
}

/// The toolkit for what the stdenv makes; unchanged if that is this machine.
Result<Toolkit> for_stdenv(Result<Toolkit> toolkit, const Result<Compiler>& stdenv,
                           const WantedTarget& wanted, const SurveyInputs& inputs,
                           const std::string& preprocessor) {
  if (!toolkit || !stdenv)
    return toolkit;
  const auto target = foreign_target(*stdenv, wanted, inputs.table.platforms);
  if (!target)
    return tl::unexpected(target.error());
  return *target ? toolkit_for(*toolkit, **target, inputs.files, inputs.processes, preprocessor)
                 : std::move(toolkit);
}

} // namespace

Survey survey(const Request& request, const SurveyInputs& inputs) {
  const auto wanted = wanted_target(request, inputs.table.platforms);
  const IsOwn is_own = own_programs(inputs.files);
  std::optional<NamedToolkit> named_toolkit;
  if (request.toolkit)
    named_toolkit = NamedToolkit{*request.toolkit, request.toolkit_by};
  const ToolkitSearch search =
      find_toolkits(inputs.files, inputs.environment, named_toolkit, inputs.config.toolkits, is_own);
  const ToolkitSearch first = needed(search, request);
  Drivers drivers = ask_drivers(request, wanted ? wanted->triple : "", inputs, is_own, first);
  ToolkitSurvey toolkits =
      probe_toolkits(inputs.files, inputs.processes, first, drivers.toolkit_versions, preprocessor(drivers));
  if (toolkits.toolkits.empty() && first.candidates.size() < search.candidates.size())
    toolkits = probe_toolkits(inputs.files, inputs.processes, search, preprocessor(drivers));
  Result<Toolkit> toolkit = chosen_toolkit(toolkits, named_toolkit);
  if (!wanted)
    drivers.stdenv = tl::unexpected(wanted.error());
  else
    toolkit = for_stdenv(std::move(toolkit), drivers.stdenv, *wanted, inputs, preprocessor(drivers));
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
          std::move(looked)};
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
