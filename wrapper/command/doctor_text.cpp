// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/unicode.hpp"
#include "wrapper/bind/text.hpp"
#include "wrapper/command/doctor.hpp"
#include "wrapper/command/inputs.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hostpin::command {

namespace {

using Row = std::vector<Cell>;
using Rows = std::vector<Row>;

Tone tone_of(Verdict verdict) {
  switch (verdict) {
  case Verdict::fits:
    return Tone::good;
  case Verdict::unknown:
    return Tone::doubtful;
  case Verdict::too_new:
  case Verdict::too_old:
  case Verdict::broken:
    break;
  }
  return Tone::bad;
}

std::string heading(std::string_view text, const Terminal& terminal) {
  return fmt::format("\n{}\n", terminal.paint(text, Tone::heading));
}

std::string library_line(const StandardLibrary& library) {
  if (library.path.empty())
    return fmt::format("{} {}", library.kind, library.release);
  return fmt::format("{} {}, GLIBCXX_{} CXXABI_{}", library.kind, library.path, library.glibcxx,
                     library.cxxabi);
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string note(const std::string& text, const Terminal& terminal) {
  return columns({{{"note:", Tone::doubtful}, {text}}}, terminal, 4);
}

std::string plain(const std::string& text, const Terminal& terminal, Tone tone = Tone::plain) {
  return columns({{{text, tone}}}, terminal);
}

/// Each function that a C library and the toolkit declare differently, with both locations.
std::string clashes(const Acceptance& acceptance, const Terminal& terminal) {
  std::string text;
  for (const LibcComparison& libc : acceptance.libcs) {
    if (!libc.clashes || libc.clashes->empty())
      continue;
    Rows rows;
    for (const Clash& clash : *libc.clashes)
      for (const Clash::Declaration* const side : {&clash.libc, &clash.toolkit})
        rows.push_back({{"    "},
                        {side == &clash.libc ? clash.name : ""},
                        {fmt::format("{}:{}", side->file, side->line)},
                        {side->says, Tone::quiet}});
    text += note(fmt::format("the C library in {} does not fit it: nvcc refuses every .cu file because of",
                             libc.c_headers),
                 terminal) +
            columns(rows, terminal);
  }
  return text;
}

std::string toolkits(const Examination& examination, const Terminal& terminal) {
  const Survey& survey = examination.survey;
  Rows rows;
  for (std::size_t i = 0; i < survey.toolkits.toolkits.size(); ++i) {
    const Toolkit& toolkit = survey.toolkits.toolkits[i];
    const bool chosen = survey.toolkit && survey.toolkit->nvcc == toolkit.nvcc;
    rows.push_back({{chosen ? "*" : " ", Tone::good},
                    {"CUDA " + to_string(toolkit.version)},
                    {wanted(examination.terms[i].acceptance)},
                    {toolkit.root},
                    {toolkit.origin, Tone::quiet}});
  }
  for (const ToolkitRejection& rejection : survey.toolkits.rejected)
    rows.push_back({{" "},
                    {"broken", Tone::bad},
                    {rejection.reason},
                    {rejection.path},
                    {rejection.origin, Tone::quiet}});
  std::string text = terminal.paint("toolkits", Tone::heading) + '\n' + columns(rows, terminal);
  Rows sources;
  for (std::size_t i = 0; i < survey.toolkits.toolkits.size(); ++i) {
    const Acceptance& acceptance = examination.terms[i].acceptance;
    sources.push_back({{"   "},
                       {"CUDA " + to_string(survey.toolkits.toolkits[i].version)},
                       {documented_text(acceptance), Tone::quiet},
                       {enforced_text(acceptance), Tone::quiet}});
    if (!examination.composed[i].empty())
      sources.push_back({{"   "}, {""}, {examination.composed[i], Tone::quiet, true}});
  }
  text += columns(sources, terminal);
  for (std::size_t i = 0; i < survey.toolkits.toolkits.size(); ++i) {
    const Terms& terms = examination.terms[i];
    for (const std::string& line : notes(survey.toolkits.toolkits[i], terms))
      text += note(line, terminal);
    text += clashes(terms.acceptance, terminal);
  }
  for (const std::string& line : survey.target_notes)
    text += note(line, terminal);
  if (!survey.toolkit)
    text += plain(first_line(survey.toolkit.error().message), terminal, Tone::bad); // rejected ones are above
  else
    for (const std::string& line : ignored_variables(survey.toolkits, *survey.toolkit))
      text += note(line, terminal);
  return text;
}

/// Trees of links with hostpin's nvcc, for tools that insist on CUDA_HOME.
std::string views(const Examination& examination, const Terminal& terminal) {
  if (examination.views.empty())
    return {};
  Rows rows;
  for (const KnownView& view : examination.views)
    rows.push_back(
        {{view.problem.empty() ? "current" : "stale", view.problem.empty() ? Tone::good : Tone::bad},
         {view.directory},
         {view.toolkit},
         {view.problem},
         {view.origin, Tone::quiet}});
  return heading("toolkit views", terminal) + columns(rows, terminal);
}

std::string stdenv(const Survey& survey, const Terminal& terminal) {
  std::string text = heading("stdenv (links, and builds everything else)", terminal);
  if (!survey.stdenv)
    return text + plain(survey.stdenv.error().message, terminal, Tone::bad);
  const Compiler& compiler = *survey.stdenv;
  text += columns(
      {{{bind::release_name(compiler)}, {shell_words(compiler.command)}, {compiler.origin, Tone::quiet}}},
      terminal);
  text += plain(library_line(compiler.library), terminal);
  if (!survey.stdenv_library)
    text += plain(survey.stdenv_library.error().message, terminal, Tone::bad);
  return text;
}

const Proof* proof_of(const Examination& examination, std::size_t candidate) {
  const auto found = std::find_if(examination.proofs.begin(), examination.proofs.end(),
                                  [&](const Proof& proof) { return proof.candidate == candidate; });
  return found == examination.proofs.end() ? nullptr : &*found;
}

Cell verified(const Proof* proof) {
  if (proof == nullptr)
    return {};
  const char* const what = proof->compiled ? "compiles" : "does not compile";
  return proof->agrees ? Cell{what, Tone::quiet}
                       : Cell{fmt::format("{}: the verdict is wrong", what), Tone::doubtful};
}

Cell verdict_cell(const Judgement& judgement, const Relation& relation) {
  return {verdict_word(judgement, relation),
          fits_other_target(judgement, relation) ? Tone::quiet : tone_of(judgement.verdict)};
}

bool newer(const Judgement& a, const Judgement& b) {
  if (a.compiler.family != b.compiler.family)
    return a.compiler.family < b.compiler.family;
  return a.compiler.version > b.compiler.version;
}

std::string candidates(const Examination& examination, const Terminal& terminal) {
  const Survey& survey = examination.survey;
  if (!examination.assessment || !survey.toolkit)
    return {};
  const std::vector<Judgement>& judged = examination.assessment->judged;
  std::vector<std::size_t> order(judged.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return newer(judged[a], judged[b]); });

  Rows rows;
  for (const std::size_t i : order) {
    const Judgement& each = judged[i];
    const bool chosen =
        examination.binding && examination.binding->host.compiler.command == each.compiler.command;
    rows.push_back({{chosen ? "*" : " ", Tone::good},
                    verdict_cell(each, examination.relations[i]),
                    {bind::release_name(each.compiler)},
                    {shell_words(each.compiler.command)},
                    {reason_of(each, examination.relations[i], *survey.stdenv)},
                    {each.verdict == Verdict::fits ? "" : each.source, Tone::quiet},
                    verified(proof_of(examination, i))});
  }
  for (const BrokenCompiler& broken : survey.compilers.broken)
    rows.push_back({{" "},
                    {to_string(Verdict::broken), Tone::bad},
                    {""},
                    {shell_words(broken.command)},
                    {broken.reason},
                    {broken.origin, Tone::quiet}});
  return heading(fmt::format("host compilers for CUDA {}", to_string(survey.toolkit->version)), terminal) +
         columns(rows, terminal);
}

std::string first_errors(const Examination& examination, const Terminal& terminal) {
  std::string text;
  for (const Proof& proof : examination.proofs)
    if (!proof.agrees && !proof.compiled)
      text += fmt::format("  {}: {}\n",
                          shell_words(examination.assessment->judged[proof.candidate].compiler.command),
                          proof.first_error);
  return text.empty() ? text : heading("first errors where a verdict was wrong", terminal) + text;
}

std::string_view become_of(const GpuCalls& calls) {
  return calls.policy == GpuPolicy::enforce ? "compiled for the list unless a reason is given"
                                            : "compiled for what they name";
}

std::string gpu_calls(const Examination& examination, const Terminal& terminal) {
  constexpr std::size_t most_listed = 200;
  std::string text;
  for (const GpuCalls& calls : examination.gpu_calls) {
    text += heading("GPUs of calls in " + escaped(calls.build), terminal) +
            columns({{{"bound"}, {escaped(calls.directory)}, {calls.list, Tone::plain, true}},
                     {{"policy"}, {std::string(to_string(calls.policy))}, {}},
                     {{"calls"},
                      {fmt::format("{} of {} name other GPUs", calls.differ.size(), calls.compared)},
                      {std::string(calls.differ.empty() ? "" : become_of(calls)), Tone::quiet}}},
                    terminal);
    Rows rows;
    for (const GpuCall& call : calls.differ)
      if (rows.size() < most_listed)
        rows.push_back({{escaped(call.file)},
                        {call.asked, calls.is_violated_by(call) ? Tone::bad : Tone::plain},
                        {call.reason},
                        {escaped(fmt::format("{}", fmt::join(call.origins, " "))), Tone::quiet}});
    if (!rows.empty())
      text += columns(rows, terminal);
    if (rows.size() < calls.differ.size())
      text += fmt::format("  and {} more; --json has all\n", calls.differ.size() - rows.size());
  }
  return text;
}

std::string choice(const Examination& examination, const Terminal& terminal) {
  const CallHere& here = examination.prediction.here;
  const cmdline::NvccCommand& naming = examination.prediction.naming;
  Rows calls{
      {{"calls"},
       {here.program},
       {here.directory.empty() ? here.origin : fmt::format("{}; bound in {}", here.origin, here.directory),
        Tone::quiet}}};
  for (const std::string& note : here.notes)
    calls.push_back({{""}, {note, Tone::quiet}});
  if (naming.ccbin.by != cmdline::CcbinChoice::By::nobody)
    calls.push_back({{"named"},
                     {std::string(naming.ccbin.value)},
                     {"by " + std::string(to_string(naming.ccbin.by)), Tone::quiet}});
  std::string text = heading("choice", terminal);
  if (!examination.binding) {
    const Error& error = examination.binding.error();
    text += columns(calls, terminal) + plain(first_line(error.message), terminal, Tone::bad);
    return error.hint.empty() ? text : text + fmt::format("\nnext: {}\n", error.hint);
  }
  const bind::Binding& binding = *examination.binding;
  calls.push_back({{"compiles"}, {bind::host_label(binding)}, {binding.host_origin, Tone::quiet}});
  calls.push_back(
      {{"links"}, {shell_words(binding.link.command), Tone::plain, true}, {binding.link.how, Tone::quiet}});
  for (const Rows& more : {target_rows(binding), run_path_rows(binding)})
    calls.insert(calls.end(), more.begin(), more.end());
  text += columns(calls, terminal);
  for (const plan::RuntimeRule& rule : binding.plan.runtimes)
    if (rule.rule != plan::PlanRuntime::Rule::cross)
      text += columns({{{fmt::format("{} {}:", plan::to_string(rule.rule), rule.feature)}, {rule.reason}}},
                      terminal);
  return text + fmt::format("\nnext: {}\n", examination.next);
}

} // namespace

std::string doctor_text(const Examination& examination, const Terminal& terminal) {
  return toolkits(examination, terminal) + views(examination, terminal) +
         stdenv(examination.survey, terminal) + candidates(examination, terminal) +
         first_errors(examination, terminal) + examination.device_code.value_or("") +
         gpu_calls(examination, terminal) + choice(examination, terminal);
}

} // namespace hostpin::command
