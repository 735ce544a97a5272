// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/cmdline/nvcc_command.hpp"
#include "toolchains/cmdline/response.hpp"
#include "wrapper/bind/text.hpp"
#include "wrapper/command/commands.hpp"
#include "wrapper/command/decision_json.hpp"
#include "wrapper/command/inputs.hpp"
#include "wrapper/command/prediction.hpp"
#include "wrapper/cxx/run_path.hpp"
#include "wrapper/cxx/runtime.hpp"
#include "wrapper/nvcc/rewrite.hpp"

#include <fmt/format.h>

namespace hostpin::command {

namespace {

using By = cmdline::CcbinChoice::By;
using Rows = std::vector<std::vector<Cell>>;

struct CallToExplain {
  std::string program; // as named; empty: `nvcc`
  bool is_cxx = false;
  std::vector<const char*> arguments;
};

CallToExplain split(const std::vector<std::string>& words) {
  CallToExplain call;
  std::size_t first = 0;
  if (!words.empty() && (base_name(words.front()) == "nvcc" || base_name(words.front()) == "c++")) {
    call.program = words.front();
    call.is_cxx = base_name(words.front()) == "c++";
    first = 1;
  }
  for (std::size_t i = first; i < words.size(); ++i)
    call.arguments.push_back(words[i].c_str());
  return call;
}

/// A call of another program than nvcc and c++. An input of nvcc has a suffix, and may be executable.
std::optional<Error> other_program(const CallToExplain& call, const Context& context) {
  const std::string first = call.program.empty() && !call.arguments.empty() ? call.arguments.front() : "-";
  const bool may_be_input = base_name(first).find('.') != std::string_view::npos &&
                            (first.find('/') != std::string::npos || !executable(first, context.environment));
  if (first.starts_with('-') || first.starts_with('@') || may_be_input)
    return std::nullopt;
  return Error{fmt::format("{} is no nvcc, and explain shows what nvcc and its c++ run", first),
               fmt::format("{0} explain -- nvcc ARGS, or {0} explain -- c++ ARGS", context.program)};
}

/// The `c++` that nvcc would be given.
std::string own_cxx(const Prediction& prediction, const Context& context) {
  if (prediction.here.bound && !prediction.binding->plan.named)
    return prediction.here.bound->cxx;
  const auto cache = cache_of(context);
  if (!cache)
    return prediction.here.self.directory + "/c++";
  return fmt::format("{}/bindings/{}/c++", *cache,
                     bind::decision_id(*prediction.binding, {{}, context.tree.command}, context.files));
}

Rows decision_rows(const CallHere& here, const bind::Binding& binding) {
  Rows rows{
      {{"calls"},
       {here.program},
       {here.directory.empty() ? here.origin : fmt::format("{}; bound in {}", here.origin, here.directory),
        Tone::quiet}},
      {{"toolkit"},
       {fmt::format("CUDA {} ({})", to_string(binding.toolkit.version), binding.toolkit.root)},
       {binding.toolkit.origin, Tone::quiet}},
      {{"stdenv"}, {bind::label(binding.stdenv)}, {binding.stdenv.origin, Tone::quiet}},
      {{"compiles"}, {bind::host_label(binding)}, {binding.host_origin, Tone::quiet}},
      {{"links"}, {shell_words(binding.link.command), Tone::plain, true}, {binding.link.how, Tone::quiet}}};
  for (const Rows& more : {target_rows(binding), run_path_rows(binding), policy_rows(binding)})
    rows.insert(rows.end(), more.begin(), more.end());
  if (here.foreign && binding.plan.untouched) // the stdenv is not used
    rows.erase(rows.begin() + 2);
  for (const std::string& note : binding.notes)
    rows.push_back({{""}, {note, Tone::quiet}});
  for (std::size_t i = 0; i < here.notes.size(); ++i)
    rows.insert(rows.begin() + 1 + static_cast<std::ptrdiff_t>(i), {{""}, {here.notes[i], Tone::quiet}});
  return rows;
}

/// Skipped candidates: those of the chosen one's family that are newer, up to the stdenv, each with its
/// reason.
Rows skipped_candidates(const bind::Binding& binding) {
  Rows rows;
  for (const Judgement& each : binding.candidates)
    if (each.compiler.family == binding.host.compiler.family &&
        each.compiler.version > binding.host.compiler.version &&
        each.compiler.version <= binding.stdenv.version)
      rows.push_back({{rows.empty() ? "skipped" : ""},
                      {bind::label(each.compiler)},
                      {each.reason + "  " + each.source, Tone::quiet}});
  return rows;
}

/// What one call runs, for programs.
struct Explained {
  std::string role; ///< what a call of c++ does; empty for nvcc
  std::vector<std::string> runs;
  std::vector<nvcc::VariableChange> variables;
  std::optional<Error> refused; ///< the call starts no program
};

Explained explain_cxx(const Prediction& prediction, const CallToExplain& call, const Context& context,
                      Rows& rows) {
  const std::string bytes = prediction.here.bound
                                ? *prediction.here.bound->bytes
                                : bind::plan_bytes(*prediction.binding, bind::Scope::decision,
                                                   {{}, context.tree.command}, context.files);
  const auto plan = plan::read_plan(bytes);
  const std::vector<std::string_view> words(call.arguments.begin(), call.arguments.end());
  const cxx::CxxCall what = cxx::cxx_call(words, cmdline::DiskArgumentFiles());
  constexpr const char* role_names[] = {"compiles", "links", "queries the compiler", "queries the linker"};
  Explained explained{role_names[static_cast<std::size_t>(what.role)], {}, {}, {}};
  rows.push_back({{"this call"}, {explained.role}});
  const cxx::Decision decision = cxx::choose_driver(
      *plan, what, check_policy(context.environment["HOSTPIN_LTO"].value_or("")).value_or(plan->lto_check));
  if (decision.act == cxx::Decision::Act::refuse) {
    rows.push_back({{"refused", Tone::bad}, {decision.message}, {decision.hint, Tone::quiet}});
    explained.refused = Error{decision.message, decision.hint};
    return explained;
  }
  std::vector<const char*> added;
  const std::string run_path = context.environment["LD_RUN_PATH"].value_or("");
  if (what.role == cxx::CxxCall::Role::link)
    added = cxx::run_path_arguments(*plan, words, run_path, cmdline::DiskArgumentFiles());
  std::vector<const char*> argv = cxx::exec_arguments(*plan, decision, call.arguments, added);
  argv.pop_back(); // the terminating null
  if (!decision.message.empty())
    rows.push_back({{"note"}, {decision.message}});
  explained.runs.assign(argv.begin(), argv.end());
  rows.push_back({{"runs"}, {shell_words(explained.runs), Tone::plain, true}});
  if (what.role != cxx::CxxCall::Role::link)
    return explained;
  const std::string_view reason = cxx::reason_not_verified(*plan, what);
  if (reason.empty())
    rows.push_back({{"then"},
                    {fmt::format("compares {} with what {} will load", what.output, plan->loader)},
                    {fmt::format("link-proof = \"{}\"", to_string(plan->link_proof)), Tone::quiet}});
  else
    rows.push_back({{"then"}, {"nothing is verified"}, {std::string(reason), Tone::quiet}});
  if (!plan->policy.empty())
    rows.push_back({{"then"},
                    {fmt::format("compares what {} needs with {}", what.output, plan->policy)},
                    {"a program that needs more causes a note", Tone::quiet}});
  return explained;
}

Explained explain_nvcc(const Prediction& prediction, const Context& context, Rows& rows) {
  const CallHere& here = prediction.here;
  const std::string ours = own_cxx(prediction, context);
  nvcc::GpuChange gpus;
  if (here.bound && !here.bound->plan.gpus.empty())
    gpus.decide(prediction.naming, {here.bound->plan.gpus, here.bound->plan.gpu_variants});
  const nvcc::Rewrite rewritten =
      prediction.as_given ? nvcc::as_given(prediction.call, prediction.naming, &gpus)
                          : nvcc::rewrite(prediction.call, prediction.naming, ours.c_str(),
                                          prediction.binding->plan.target_directory.c_str(), &gpus);
  Explained explained;
  explained.variables = rewritten.variables;
  explained.runs = {here.foreign ? here.program : prediction.binding->toolkit.nvcc};
  explained.runs.insert(explained.runs.end(), rewritten.arguments.begin(), rewritten.arguments.end());
  rows.push_back({{"runs"}, {shell_words(explained.runs), Tone::plain, true}});
  if (prediction.as_given)
    rows.back().push_back({"with the arguments as they are", Tone::quiet});
  if (gpus.kind() == nvcc::GpuChange::Kind::replaced)
    rows.push_back({{"for GPUs"}, {gpus.made_text()}, {"instead of " + gpus.asked_text(), Tone::quiet}});
  else if (gpus.kind() == nvcc::GpuChange::Kind::left)
    rows.push_back({{"for GPUs"}, {gpus.asked_text()}, {std::string(gpus.reason()), Tone::quiet}});
  if (here.bound && here.bound->plan.view)
    rows.push_back({{""},
                    {"called as " + shell_word(directory_of(here.self.directory) + "/bin/nvcc")},
                    {"so it finds its parts there", Tone::quiet}});
  for (const nvcc::VariableChange& change : rewritten.variables)
    rows.push_back(
        {{""}, {change.value ? change.name + "=" + shell_word(*change.value) : "without " + change.name}});
  return explained;
}

std::string explain_json(const Prediction& prediction, const Explained& explained) {
  Json all;
  all["hostpin"] = HOSTPIN_VERSION;
  all["call"] = call_json(prediction);
  all["toolkit"] = nullptr;
  all["stdenv"] = nullptr;
  if (prediction.binding) {
    const Toolkit& toolkit = prediction.binding->toolkit;
    all["toolkit"] = {
        {"root", toolkit.root}, {"version", to_string(toolkit.version)}, {"origin", toolkit.origin}};
    all["stdenv"] = compiler_json(prediction.binding->stdenv);
  }
  all["selection"] = selection_json(prediction.binding);
  all["role"] = explained.role.empty() ? Json() : Json(explained.role);
  put_all(all, "runs", explained.runs);
  all["variables"] = Json::object();
  for (const nvcc::VariableChange& change : explained.variables)
    all["variables"][change.name] = change.value ? Json(*change.value) : Json();
  all["refused"] = explained.refused
                       ? Json{{"message", explained.refused->message}, {"hint", explained.refused->hint}}
                       : Json();
  all["notes"] = prediction.binding ? Json(prediction.binding->notes) : Json::array();
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

int print(const Context& context, const Rows& rows) {
  fmt::print("{}", columns(rows, context.terminal, 0));
  return exit_fine;
}

int fail(const Error& error, int code) {
  report(error);
  return code;
}

} // namespace

int run_explain(const Context& context, const ExplainOptions& options) {
  if (options.bound)
    if (const auto wrong = conflict_with_bound(options.request, *options.bound))
      return fail(*wrong, exit_broken);
  const CallToExplain words = split(options.call);
  if (const auto other = other_program(words, context))
    return fail(*other, exit_broken);
  auto here = call_here(context, options.request, options.bound, words.program);
  if (!here)
    return fail(here.error(), exit_broken);
  here->request.own_cxx = here->self.directory + "/c++";
  here->request.host_option = "-ccbin"; // it is the call that is refused
  here->request.insist_option = "-allow-unsupported-compiler";
  return with_call(context, *here, words.arguments, words.is_cxx, [&](const Prediction& prediction) {
    const Result<bind::Binding>& binding = prediction.binding;
    if (!binding) {
      if (options.json)
        fmt::print("{}", explain_json(prediction, {}));
      return fail(binding.error(), prediction.exit_code);
    }
    Rows rows = decision_rows(*here, *binding);
    if (prediction.naming.ccbin.by != By::nobody)
      rows.push_back({{"named"},
                      {std::string(prediction.naming.ccbin.value)},
                      {"by " + std::string(to_string(prediction.naming.ccbin.by)), Tone::quiet}});
    const Rows more = binding->plan.named ? Rows() : skipped_candidates(*binding);
    rows.insert(rows.end(), more.begin(), more.end());
    const Explained explained = words.is_cxx ? explain_cxx(prediction, words, context, rows)
                                             : explain_nvcc(prediction, context, rows);
    if (!options.json)
      return print(context, rows);
    fmt::print("{}", explain_json(prediction, explained));
    return exit_fine;
  });
}

} // namespace hostpin::command
