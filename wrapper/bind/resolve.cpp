// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/resolve.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/binary/machine.hpp"
#include "toolchains/cmdline/driver_variables.hpp"
#include "toolchains/compiler/probe.hpp"
#include "toolchains/library/additions.hpp"
#include "toolchains/library/link_plan.hpp"
#include "toolchains/toolkit/wheels.hpp"
#include "wrapper/bind/emulator.hpp"
#include "wrapper/bind/language_options.hpp"
#include "wrapper/bind/policy.hpp"
#include "wrapper/bind/run_path.hpp"
#include "wrapper/bind/text.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace hostpin::bind {

namespace {

void add(std::vector<std::string>& all, const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

struct Choice {
  Judgement host;
  std::string origin;
};

/// How the user can stop naming a host compiler in that way.
std::string naming_none(const std::string& by) {
  if (by.starts_with('$'))
    return "unset " + by.substr(1);
  return by.starts_with("NVCC_") ? "unset " + by : "name none";
}

/// The assignment, such as `OMPI_CXX=g++-12`, that makes a wrapper run a compiler that fits, found by running
/// it so; empty if it reads no such variable.
std::string fitting_assignment(const Compiler& wrapper, const Assessment& assessment,
                               const SurveyInputs& inputs) {
  if (!assessment.selection || assessment.selection->chosen.compiler.command.size() != 1)
    return {};
  const Compiler& fitting = assessment.selection->chosen.compiler;
  const std::string& path = fitting.command.front();
  const std::string name(base_name(path));
  std::vector<DriverCandidate> trials;
  for (const std::string_view variable : cmdline::compiler_variables()) {
    const std::string& spelled = executable(name, inputs.environment) == path ? name : path;
    trials.push_back({{"/usr/bin/env", fmt::format("{}={}", variable, spelled)}, "trial"});
    add(trials.back().command, wrapper.command);
  }
  const std::vector<ProbeAnswer> answers = probe_drivers(inputs.files, inputs.processes, trials);
  for (std::size_t i = 0; i < answers.size(); ++i)
    if (const auto* const runs = std::get_if<Compiler>(&answers[i]);
        runs != nullptr && runs->front_end == fitting.front_end && runs->target == fitting.target)
      return trials[i].command[1]; // it may have more directories of headers
  return {};
}

/// A named host compiler is judged and then used: an error if it does not fit, unless the user insists.
Result<Choice> judge_named(const Compiler& host, const Assessment& assessment, const Terms& terms,
                           const Survey& survey, const SurveyInputs& inputs) {
  const Toolkit& toolkit = *survey.toolkit;
  const Judgement judgement = judge(host, toolkit, terms.acceptance, inputs.table);
  const std::string origin = fmt::format("named by {}", survey.request.host_by);
  if (judgement.verdict != Verdict::fits && !survey.request.allow_unsupported) {
    const std::string assignment = fitting_assignment(host, assessment, inputs);
    return failure(
        fmt::format("{} does not fit CUDA {} (wants {}): {}\n  named by {}; {}", label(host),
                    to_string(toolkit.version), wanted(terms.acceptance), judgement.reason,
                    survey.request.host_at.empty() ? survey.request.host_by : survey.request.host_at,
                    judgement.source),
        fmt::format("{}name one that fits (hostpin doctor lists them), {}{}, or add {}",
                    assignment.empty() ? ""
                                       : fmt::format("set {}, so that {} runs a compiler that fits, ",
                                                     assignment, shell_words(host.command)),
                    naming_none(survey.request.host_by),
                    survey.request.own_cxx.empty()
                        ? ""
                        : fmt::format(" or, where a build has to name one, {}", survey.request.own_cxx),
                    survey.request.insist_option),
        ErrorKind::no_fit);
  }
  Choice choice{judgement, origin};
  if (const auto hindrance = obstacle(host, *survey.stdenv))
    choice.origin += "; note that it " + *hindrance;
  return choice;
}

/// Nothing fits and the user insists: the compiler that bare nvcc would use, the stdenv itself.
Choice insisted(const Compiler& stdenv, const Assessment& assessment) {
  const auto found =
      std::find_if(assessment.judged.begin(), assessment.judged.end(),
                   [&](const Judgement& each) { return same_compiler(each.compiler, stdenv); });
  Judgement judgement =
      found != assessment.judged.end() ? *found : Judgement{stdenv, Verdict::unknown, {}, {}};
  judgement.compiler = stdenv;
  return {std::move(judgement), "nothing fits; the stdenv itself, because unsupported compilers are allowed"};
}

Result<Choice> choose(const Survey& survey, const Assessment& assessment, const Terms& terms,
                      const SurveyInputs& inputs) {
  if (survey.request.host) {
    if (!survey.host)
      return tl::unexpected(survey.host.error());
    return judge_named(*survey.host, assessment, terms, survey, inputs);
  }
  if (assessment.selection)
    return Choice{assessment.selection->chosen, assessment.selection->origin};
  if (survey.request.allow_unsupported)
    return insisted(*survey.stdenv, assessment);
  return tl::unexpected(assessment.selection.error());
}

/// The command of the host compiler: if it is the stdenv, without that one's language options. A driver that
/// makes position independent programs rejects objects that are not. -fPIE comes first, so that any such
/// option of the user overrides it.
std::vector<std::string> compile_command(const Compiler& host, const Compiler& stdenv, bool named) {
  std::vector<std::string> command =
      host.command == stdenv.command && !named ? without_language_options(host.command) : host.command;
  if (stdenv.default_pie && !host.default_pie)
    command.emplace_back("-fPIE");
  return command;
}

/// A request that leads to the same decision without discovery.
Request explicit_request(const Binding& binding, const Survey& survey) {
  Request request = survey.request;
  request.toolkit = binding.toolkit.nvcc;
  request.toolkit_by = binding.toolkit.origin;
  request.stdenv = shell_words(binding.stdenv.command);
  request.stdenv_by = binding.stdenv.origin;
  if (survey.request.host)
    request.host = shell_words(binding.host.compiler.command);
  // The stdenv alone does not tell sbsa and Jetson apart.
  if (binding.toolkit.target)
    request.target = binding.toolkit.target->platform;
  return request;
}

loader::LinkTarget target_of(const Binding& binding, const SurveyInputs& inputs) {
  const std::string library = binding.stdenv.library.kind == "libc++" ? "libc++.so.1" : "libstdc++.so.6";
  return loader::link_target(binding.link.command, library, inputs.files, inputs.processes);
}

/// An error for a command whose options omit what each program needs. Without start files a linker makes a
/// program that cannot start, and only warns; libraries may be named later in the command.
std::optional<Error> without_standard_parts(const std::vector<std::string>& command,
                                            const Processes& processes) {
  for (const auto& [option, part] : {std::pair("-nostartfiles", "start files"),
                                     {"-nostdlib", "start files and libraries"},
                                     {"-nodefaultlibs", "libraries"}}) {
    if (std::find(command.begin(), command.end(), option) == command.end())
      continue;
    if (option == std::string_view("-nodefaultlibs") && !failed_link(command, processes))
      return std::nullopt;
    return Error{
        fmt::format("{} cannot link a C++ program: {} omits the {}", shell_words(command), option, part),
        fmt::format("name the stdenv without {}; pass it only to the links that need it", option)};
  }
  return std::nullopt;
}

/// gcc and clang compile C++ as g++ and clang++ do, but do not link its library; a driver with a C++ library
/// made for a newer C library links nothing. A trial link detects both. If -nostdlib++ is given, the user
/// supplies the C++ library, so none is required.
std::optional<Error> no_cxx_link(const std::vector<std::string>& command, const loader::LinkTarget& target,
                                 const Processes& processes) {
  // With this option alone the C library is still linked, as in a link of C.
  if (std::find(command.begin(), command.end(), "-nostdlib++") != command.end())
    return std::nullopt;
  if (auto left_out = without_standard_parts(command, processes))
    return left_out;
  const auto diagnostics = failed_link(command, processes);
  if (!diagnostics)
    return std::nullopt;
  const std::string shown = shell_words(command);
  // A link can also fail because of a missing library, a lack of space for temporary files, or a timeout.
  if (target.libraries == StandardLibraries::c && diagnostics->message.find("undefined") != std::string::npos)
    return Error{
        fmt::format("{} links no C++ standard library: it is a C compiler driver\n  {}", shown,
                    diagnostics->message),
        "name the C++ driver next to it (g++ for gcc, clang++ for clang), as --stdenv, $CXX or in the "
        "configuration"};
  if (!target.sysroot.empty() && target.library.empty())
    return Error{fmt::format("{} cannot link a C++ program: the sysroot {} has no C++ library for it\n  {}",
                             shown, target.sysroot, diagnostics->message),
                 "install the target's libstdc++ and libgcc below it, or name another one with --sysroot",
                 diagnostics->kind};
  return Error{fmt::format("{} cannot link a C++ program: {}", shown, diagnostics->message),
               fmt::format("to see the cause: echo 'int main() {{ throw 1; }}' | {} -x c++ - -o "
                           "/dev/null; or name another stdenv",
                           shown),
               diagnostics->kind};
}

/// What c++ needs to compare its output with the libraries that will be loaded.
void prepare_proof(Binding& binding, const loader::LinkTarget& target, const SurveyInputs& inputs) {
  plan::OwnPlan& plan = binding.plan;
  plan.link_proof = inputs.config.link_proof;
  plan.lto_check = inputs.config.lto_check;
  const bool off = plan.link_proof == CheckPolicy::off;
  if (target.loader.empty() || (off && binary::runs_here(binding.stdenv.target)))
    return;
  auto places = loader::describe_loader(target, binding.stdenv.target, inputs.files, inputs.processes);
  if (places && places->elsewhere) // leak-check judges by it, too
    binding.loader = {target.loader,           places->root,         places->directories,
                      places->own_directories, places->library_name, places->platform};
  if (places && !off) {
    plan.loader = target.loader;
    plan.loader_cache = std::move(places->cache);
    plan.loader_library = std::move(places->library_name);
    plan.loader_platform = std::move(places->platform);
    plan.loader_directories = std::move(places->directories);
    plan.loader_capabilities = std::move(places->capabilities);
    plan.loader_root = std::move(places->root);
    plan.loader_elsewhere = places->elsewhere;
    plan.library = target.library;
  }
}

/// What nvcc and builds need to know of a foreign target.
void prepare_target(Binding& binding, const loader::LinkTarget& link, const Survey& survey,
                    const SurveyInputs& inputs) {
  if (!binding.toolkit.target)
    return;
  const ToolkitTarget& target = *binding.toolkit.target;
  binding.plan.target_directory = target.name;
  // A cross linker ignores run paths when it looks for what a shared library needs, such as the CUDA runtime.
  for (const std::string& option : rpath_links(target))
    binding.link.command.push_back(option);
  binding.emulator = emulator(target.machine, link.loader, survey.request.sysroot.value_or(""),
                              binding.stdenv, inputs.environment, inputs.files);
  if (binding.emulator.empty())
    binding.notes.push_back(
        fmt::format("programs for {} do not run on this machine, and no qemu-{} is on PATH: "
                    "builds that run what they built need one (install qemu-user-static)",
                    target.triple, target.machine));
}

/// What links add to the run paths of their output.
Result<void> set_run_paths(Binding& binding, const Request& request, const Files& files) {
  auto directories = run_path(request, binding.toolkit, files);
  if (!directories)
    return tl::unexpected(directories.error());
  binding.plan.run_path = *std::move(directories);
  for (const std::string& directory : binding.plan.run_path)
    if (!is_for_cmake(directory))
      binding.notes.push_back(fmt::format("toolchain.cmake does not add {} to links of C and C++, as CMake "
                                          "would change it; set CMAKE_INSTALL_RPATH in the project",
                                          directory));
  DriverOrder order = driver_order(binding.toolkit.root, files);
  binding.plan.driver_directories = std::move(order.directories);
  add(binding.notes, order.notes);
  add(binding.dependencies, order.files);
  return {};
}

/// How programs are linked if nothing is named.
Result<LinkPlan> own_link(const Compiler& host, const Survey& survey, const SurveyInputs& inputs) {
  if (same_compiler(host, *survey.stdenv))
    return LinkPlan{survey.stdenv->command, "the stdenv itself", {}};
  if (!survey.stdenv_library)
    return tl::unexpected(survey.stdenv_library.error());
  return plan_link(host, *survey.stdenv, *survey.stdenv_library, inputs.files, inputs.processes);
}

/// A note of what a wrapper adds: what is passed on, and what is not.
void note_additions(const std::string& kind, const Compiler& wrapper, const std::vector<std::string>& passed,
                    const std::vector<std::string>& withheld, std::vector<std::string>& notes) {
  const std::string from = " what " + wrapper.command.front() + " adds: ";
  if (!passed.empty())
    notes.push_back(kind + " also get" + from + shell_words(passed));
  if (!withheld.empty())
    notes.push_back(kind + " do not get" + from + shell_words(withheld));
}

/// The stdenv's wrapper is meant for every source of a project, whatever compiles it.
void pass_preprocessing(Binding& binding, const SurveyInputs& inputs) {
  const auto additions = added_to_compiles(binding.stdenv, inputs.files, inputs.processes);
  if (!additions)
    return;
  add(binding.plan.host, additions->before);
  note_additions("compiles", binding.stdenv, additions->before, additions->withheld, binding.notes);
}

/// Whether links by the host compiler's driver are those of the stdenv, but for what the driver adds.
bool links_as_stdenv(const Compiler& host, const Additions& additions, const Survey& survey,
                     const SurveyInputs& inputs) {
  const Compiler& stdenv = *survey.stdenv;
  if (!additions.links_cxx || stdenv.command.size() > 1 || host.front_end != stdenv.front_end ||
      host.version != stdenv.version || host.gcc_install != stdenv.gcc_install ||
      host.c_headers != stdenv.c_headers || !survey.stdenv_library)
    return false;
  const auto library = library_facts(inputs.files, inputs.processes, host);
  return library && library->library.path == survey.stdenv_library->library.path &&
         !failed_link(host.command, inputs.processes);
}

/// What a driver adds to links. Its linker is passed on only between compilers with the same C library.
std::optional<Additions> additions_to_links(const Compiler& from, const Compiler& other,
                                            const SurveyInputs& inputs) {
  auto additions = added_to_links(from, inputs.files, inputs.processes);
  if (!additions)
    return additions;
  std::vector<std::string>& to = from.c_headers == other.c_headers ? additions->before : additions->withheld;
  to.insert(to.begin(), additions->linker.begin(), additions->linker.end());
  return additions;
}

/// The link, with the arguments that a named driver adds: they are the user's.
LinkPlan with_additions(LinkPlan link, const Compiler& host, const Additions& additions) {
  add(link.command, additions.before);
  link.last = additions.after;
  std::vector<std::string> passed = additions.before;
  add(passed, additions.after);
  note_additions("links", host, passed, additions.withheld, link.notes);
  return link;
}

/// What the stdenv's wrapper adds to links: it is meant for every link of a project, whatever makes it. A
/// host compiler that is named links as with nvcc alone.
std::optional<Additions> stdenv_additions(const Compiler& host, const Survey& survey,
                                          const SurveyInputs& inputs) {
  if (survey.request.host)
    return std::nullopt;
  return additions_to_links(*survey.stdenv, host, inputs);
}

/// How programs are linked: by the stdenv itself if that also compiles, unless another driver of the same
/// compiler was named.
Result<LinkPlan> planned_link(const Compiler& host, const Survey& survey, const SurveyInputs& inputs) {
  std::optional<Additions> additions;
  if (survey.request.host && host.command != survey.stdenv->command)
    additions = additions_to_links(host, *survey.stdenv, inputs);
  if (additions && links_as_stdenv(host, *additions, survey, inputs))
    return LinkPlan{host.command, "the named driver, which runs the stdenv's compiler", {}};
  auto link = own_link(host, survey, inputs);
  // A host compiler's driver that links adds them itself.
  if (link && additions && link->command == survey.stdenv->command)
    link = with_additions(*std::move(link), host, *additions);
  if (link && link->command.front() != survey.stdenv->command.front())
    if (const auto words = stdenv_additions(host, survey, inputs))
      link = with_additions(*std::move(link), *survey.stdenv, *words);
  return link;
}

bool links_by_host(const std::vector<plan::RuntimeRule>& rules) {
  return std::any_of(rules.begin(), rules.end(), [](const plan::RuntimeRule& rule) {
    return rule.rule == plan::RuntimeRule::Rule::one_compiler;
  });
}

} // namespace

std::string driver_named_to_nvcc(const std::string& words, const Files& files) {
  if (is_directory(files, words))
    return words + "/g++";
  // nvcc itself changes exactly the name gcc into g++ when it links.
  const std::string_view name = "gcc";
  const auto slash = words.rfind('/');
  if (std::string_view(words).substr(slash + 1) == name)
    return words.substr(0, words.size() - name.size()) + "g++";
  return words;
}

Result<Binding> resolve(const Survey& survey, const SurveyInputs& inputs) {
  if (!survey.toolkit)
    return tl::unexpected(survey.toolkit.error());
  if (!survey.stdenv)
    return tl::unexpected(survey.stdenv.error());
  Terms known = std::move(terms({&*survey.toolkit, 1}, survey, inputs).front());
  Assessment assessment = assess(*survey.toolkit, *survey.stdenv, known, survey, inputs);
  TRY_ASSIGN(auto choice, choose(survey, assessment, known, inputs));

  Result<LinkPlan> link = planned_link(choice.host.compiler, survey, inputs);
  if (!link)
    return tl::unexpected(link.error());

  Binding binding;
  binding.config = inputs.config;
  binding.toolkit = *survey.toolkit;
  binding.plan.nvcc_reads_ccbin_variable =
      inputs.table.has_feature("nvcc-ccbin-variable", binding.toolkit.version);
  binding.plan.nvcc_escapes_quotes = inputs.table.has_feature("nvcc-escaped-quotes", binding.toolkit.version);
  binding.plan.tree = !wheel_libraries(binding.toolkit.root, inputs.files).empty();
  binding.stdenv = *survey.stdenv;
  binding.host = std::move(choice.host);
  binding.host_origin = std::move(choice.origin);
  binding.plan.host = compile_command(binding.host.compiler, binding.stdenv, survey.request.host.has_value());
  if (binding.plan.host.size() < binding.host.compiler.command.size())
    binding.host_origin += "; its language options are for its own compiles";
  binding.plan.newer_host = obstacle(binding.host.compiler, binding.stdenv).has_value();
  binding.candidates = std::move(assessment.judged);
  binding.broken = survey.compilers.broken;
  binding.link = std::move(*link);
  const loader::LinkTarget target = target_of(binding, inputs);
  if (auto wrong = no_cxx_link(binding.link.command, target, inputs.processes))
    return tl::unexpected(std::move(*wrong));
  prepare_proof(binding, target, inputs);
  TRY(set_policy(binding, survey.request, inputs.files, inputs.data));
  binding.notes = ignored_variables(survey.toolkits, binding.toolkit);
  add(binding.notes, notes(binding.toolkit, known));
  binding.acceptance = std::move(known.acceptance);
  add(binding.notes, survey.target_notes);
  add(binding.notes, binding.link.notes);
  // A named host compiler gets what nvcc would pass to it.
  if (!survey.request.host && binding.host.compiler.command != binding.stdenv.command)
    pass_preprocessing(binding, inputs);
  prepare_target(binding, target, survey, inputs);
  // If the families differ, the host compiler's own driver links, and brings its runtimes.
  const bool split = binding.host.compiler.family == binding.stdenv.family;
  binding.plan.runtimes = cxx::runtime_rules(
      binding.host.compiler, split ? binding.stdenv : binding.host.compiler, inputs.config.runtime);
  if (inputs.config.lto_dropped)
    cxx::drop_refused(binding.plan.runtimes, cxx::RuntimeFeature::lto);
  if (links_by_host(binding.plan.runtimes) && binding.host.compiler.command != binding.stdenv.command)
    if (const auto words = stdenv_additions(binding.host.compiler, survey, inputs)) {
      binding.plan.host_link_last = words->before;
      add(binding.plan.host_link_last, words->after);
      note_additions("links by the host compiler", binding.stdenv, binding.plan.host_link_last,
                     words->withheld, binding.notes);
    }
  binding.plan.named_as_is = inputs.config.named_as_is;
  binding.answers_identity = inputs.config.answers_identity;
  for (const auto* const files :
       {&binding.toolkit.files, &binding.stdenv.files, &binding.host.compiler.files})
    add(binding.dependencies, *files);
  if (survey.stdenv_library)
    add(binding.dependencies, survey.stdenv_library->files);
  TRY(set_run_paths(binding, survey.request, inputs.files));
  binding.looked = survey.looked;
  // A wheel that is installed later brings libraries, which the tree of links has to show.
  if (binding.plan.tree)
    binding.looked.push_back(wheel_libraries(binding.toolkit.root, inputs.files));
  binding.request = explicit_request(binding, survey);
  return binding;
}

Result<Binding> resolve_untouched(const Survey& survey) {
  if (!survey.toolkit)
    return tl::unexpected(survey.toolkit.error());
  Binding binding;
  binding.toolkit = *survey.toolkit;
  binding.plan.untouched = true;
  binding.dependencies = binding.toolkit.files;
  binding.looked = survey.looked;
  return binding;
}

} // namespace hostpin::bind
