// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/recorded.hpp"
#include "wrapper/bind/resolve.hpp"
#include "wrapper/bind/text.hpp"
#include "wrapper/command/commands.hpp"
#include "wrapper/command/inputs.hpp"
#include "wrapper/cxx/runtime.hpp"
#include "wrapper/nvcc/host_naming.hpp"
#include "wrapper/nvcc/rewrite.hpp"
#include "wrapper/view/view.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace hostpin {

namespace {

using By = nvcc::HostNaming::By;
using Rows = std::vector<std::vector<Cell>>;

struct CallToExplain {
  bool is_cxx = false;
  std::vector<const char*> arguments;
};

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

CallToExplain split(const std::vector<std::string>& words) {
  CallToExplain call;
  std::size_t first = 0;
  if (!words.empty() && (file_name(words.front()) == "nvcc" || file_name(words.front()) == "c++")) {
    call.is_cxx = file_name(words.front()) == "c++";
    first = 1;
  }
  for (std::size_t i = first; i < words.size(); ++i)
    call.arguments.push_back(words[i].c_str());
  return call;
}

/// Where the `c++` lies that nvcc would be given.
std::string own_cxx(const Binding& binding, const Context& context, const std::optional<std::string>& bound) {
  if (bound)
    return std::filesystem::absolute(bound_room(context.files, *bound)).lexically_normal().string() + "/c++";
  const auto cache = cache_of(context);
  if (!cache)
    return context.tree.prefix + "/libexec/hostpin/c++";
  return fmt::format("{}/bindings/{}/c++", *cache,
                     decision_id(binding, {{}, context.tree.command}, context.files));
}

/// By what path nvcc is called inside a toolkit view; empty outside one.
std::string view_of(const Context& context, const std::optional<std::string>& bound) {
  if (!bound || bound_room(context.files, *bound) == *bound)
    return {};
  return std::filesystem::absolute(*bound).lexically_normal().string() + "/bin/nvcc";
}

Rows decision_rows(const Binding& binding) {
  Rows rows{{{"toolkit"},
             {fmt::format("CUDA {} ({})", to_string(binding.toolkit.version), binding.toolkit.root)},
             {binding.toolkit.origin, Tone::quiet}},
            {{"stdenv"}, {label(binding.stdenv)}, {binding.stdenv.origin, Tone::quiet}},
            {{"compiles"}, {label(binding.host.compiler)}, {binding.host_origin, Tone::quiet}},
            {{"links"}, {shell_words(binding.link.command)}, {binding.link.how, Tone::quiet}}};
  for (const std::string& note : binding.notes)
    rows.push_back({{""}, {note, Tone::quiet}});
  return rows;
}

/// What the selection passed over: newer ones of the chosen one's family up to the stdenv, each with its
/// reason.
Rows passed_over(const Binding& binding) {
  Rows rows;
  for (const Judgement& each : binding.candidates)
    if (each.compiler.family == binding.host.compiler.family &&
        each.compiler.version > binding.host.compiler.version &&
        each.compiler.version <= binding.stdenv.version)
      rows.push_back({{rows.empty() ? "not taken" : ""},
                      {label(each.compiler)},
                      {each.reason + "  " + each.source, Tone::quiet}});
  return rows;
}

std::string joined(const std::vector<const char*>& words) {
  std::vector<std::string> all(words.begin(), words.end());
  return shell_words(all);
}

void explain_cxx(const Binding& binding, const CallToExplain& call, const Context& context, Rows& rows) {
  const std::string bytes = plan_bytes(binding, Scope::decision, {{}, context.tree.command}, context.files);
  const auto plan = read_plan(bytes);
  const std::vector<std::string_view> words(call.arguments.begin(), call.arguments.end());
  const CxxCall what = cxx_call(words, DiskResponseFiles());
  constexpr const char* role_names[] = {"compiles", "links", "asks about the compiler",
                                        "asks about the link"};
  rows.push_back({{"this call"}, {role_names[static_cast<std::size_t>(what.role)]}});
  const Decision decision =
      decide(*plan, what, context.environment["HOSTPIN_LTO"].value_or(binding.lto_check));
  if (decision.act == Decision::Act::refuse) {
    rows.push_back({{"refused", Tone::bad}, {decision.message}, {decision.hint, Tone::quiet}});
    return;
  }
  std::vector<const char*> argv = exec_arguments(*plan, decision, call.arguments);
  argv.pop_back(); // the null at the end
  if (!decision.message.empty())
    rows.push_back({{"note"}, {decision.message}});
  rows.push_back({{"runs"}, {joined(argv)}});
  if (what.role != CxxCall::Role::link)
    return;
  const std::string_view reason = unproven_because(*plan, what);
  if (reason.empty())
    rows.push_back({{"then"},
                    {fmt::format("holds {} against what {} will load", what.output, plan->loader)},
                    {fmt::format("link-proof = \"{}\"", plan->link_proof), Tone::quiet}});
  else
    rows.push_back({{"then"}, {"nothing is proven"}, {std::string(reason), Tone::quiet}});
}

void explain_nvcc(const Binding& binding, const nvcc::Call& call, const nvcc::HostNaming& naming,
                  const std::string& ours, const std::string& view, bool as_is, Rows& rows) {
  std::vector<const char*> argv{binding.toolkit.nvcc.c_str()};
  if (as_is) {
    argv.insert(argv.end(), call.arguments.begin(), call.arguments.end());
    rows.push_back({{"runs"}, {joined(argv)}, {"as it is: named-host = \"as-is\"", Tone::quiet}});
    return;
  }
  const nvcc::Rewrite rewritten = rewrite(call, naming, ours.c_str());
  argv.insert(argv.end(), rewritten.arguments.begin(), rewritten.arguments.end());
  rows.push_back({{"runs"}, {joined(argv)}});
  if (!view.empty())
    rows.push_back({{""}, {"called as " + shell_word(view)}, {"so it finds its parts there", Tone::quiet}});
  for (const nvcc::VariableChange& change : rewritten.variables)
    rows.push_back(
        {{""}, {change.value ? change.name + "=" + shell_word(*change.value) : "without " + change.name}});
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
  Request request = options.request;
  if (options.bound) {
    if (const auto wrong = without_say_beside_bound(request, *options.bound))
      return fail(*wrong, exit_broken);
    const auto recorded = read_recorded(context.files, bound_room(context.files, *options.bound));
    if (!recorded)
      return fail(recorded.error(), exit_broken);
    request = recorded->request;
  }
  const CallToExplain words = split(options.call);
  const auto prepend = context.environment["NVCC_PREPEND_FLAGS"],
             append = context.environment["NVCC_APPEND_FLAGS"], variable = context.environment["NVCC_CCBIN"];
  nvcc::Call call{prepend, words.arguments, append, variable, true};
  nvcc::DiskOptionTexts texts;
  nvcc::HostNaming naming;

  return with_survey(context, request, [&](const Survey& first, const SurveyInputs& inputs) {
    if (!first.toolkit)
      return fail(first.toolkit.error(), exit_refused);
    call.reads_variable = inputs.table.has_feature("nvcc-ccbin-variable", first.toolkit->version);
    call.escaped_quotes = inputs.table.has_feature("nvcc-escaped-quotes", first.toolkit->version);
    if (!words.is_cxx)
      naming = host_naming(call, texts);
    Request named = request;
    named.allow_unsupported |= naming.allow_unsupported;
    const bool as_is = naming.by != By::nobody && inputs.config.named_as_is;
    if (naming.by != By::nobody && !as_is) {
      named.host = driver_named_to_nvcc(std::string(naming.value), context.files);
      named.host_by = to_string(naming.by);
    }
    return with_survey(context, named, [&](const Survey& survey, const SurveyInputs& again) {
      const auto binding = resolve(survey, again);
      if (!binding)
        return fail(binding.error(), exit_refused);
      Rows rows = decision_rows(*binding);
      if (naming.by != By::nobody)
        rows.push_back({{"named"},
                        {std::string(naming.value)},
                        {"by " + std::string(to_string(naming.by)), Tone::quiet}});
      const Rows more = named.host ? Rows() : passed_over(*binding);
      rows.insert(rows.end(), more.begin(), more.end());
      if (words.is_cxx)
        explain_cxx(*binding, words, context, rows);
      else
        explain_nvcc(*binding, call, naming, own_cxx(*binding, context, options.bound),
                     view_of(context, options.bound), as_is, rows);
      return print(context, rows);
    });
  });
}

} // namespace hostpin
