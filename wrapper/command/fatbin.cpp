// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/fatbin.hpp"

#include "wrapper/command/commands.hpp"
#include "wrapper/command/gpu_list.hpp"

#include <set>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace hostpin {

namespace {

/// Reports why there is none; then `code` is the exit code.
std::optional<GpuExpansion> expectation(const Context& context, const FatbinOptions& options, int& code) {
  const auto gpus = load_gpus(context.files, context.tree.data);
  std::optional<Version> release;
  std::optional<Error> broken;
  if (!gpus)
    broken = gpus.error();
  else if (options.request.toolkit || depends_on_toolkit(*options.list)) {
    const auto toolkit = toolkit_of(context, options.request);
    if (toolkit) {
      release = toolkit->version;
      if (!options.request.toolkit)
        report_note(fmt::format("against CUDA {}.{} in {}", release->major, release->minor,
                                shown_name(toolkit->root)));
    } else
      broken = toolkit.error();
  }
  if (broken) {
    report(*broken);
    code = exit_broken;
    return std::nullopt;
  }
  auto expansion = expanded(context, *gpus, *options.list, release, !options.no_forward_compatibility);
  if (!expansion) {
    report(expansion.error());
    code = exit_broken;
    return std::nullopt;
  }
  for (const std::string& note : expansion->notes)
    report_note(note);
  return *std::move(expansion);
}

void report_partial(const FileInventory& file, const Comparison& comparison) {
  for (const HeldCode& code : comparison.partial)
    report_note(fmt::format("{}: {} of its {} fatbins have no {}{}", shown_name(file.path),
                            fatbins_without(code, file.holding, file.kind),
                            file.holding.fatbins - file.holding.idle, to_string(code),
                            members_text(code, file)));
}

void report_lost(const FileInventory& file, const GpuExpansion& expected, const Comparison& comparison) {
  for (const HeldCode& code : comparison.lost)
    if (expected.added_ptx == code.capability)
      report_note(fmt::format("{}: no {}: a device link keeps no PTX: it runs on no later GPU",
                              shown_name(file.path), to_string(code)));
}

/// Says what does not agree; whether all does.
bool judge(const FatbinAnswer& answer) {
  const Inventory& found = answer.inventory;
  if (found.files.empty() && found.unread.empty()) {
    report({"there is no device code here at all", "name what was built, or the directory that it is in"});
    return false;
  }
  std::size_t judged = 0, wrong = 0;
  std::set<std::string> told; // a hint that many files share is told once
  for (std::size_t i = 0; i < found.files.size(); ++i) {
    const auto& verdict = answer.verdicts[i];
    if (!verdict)
      continue;
    ++judged;
    report_lost(found.files[i], *answer.expected, verdict->comparison);
    if (!answer.each)
      report_partial(found.files[i], verdict->comparison);
    if (verdict->agrees)
      continue;
    ++wrong;
    Error error = disagreement(found.files[i], *verdict, answer.each);
    if (!told.insert(error.hint).second)
      error.hint.clear();
    report(error);
  }
  if (judged > 1 && wrong != 0)
    report({fmt::format("{} of {} files do not hold what is expected", wrong, judged), {}});
  return wrong == 0;
}

/// Nothing where the toolkit at hand has none; why there is no toolkit is of no interest here.
std::optional<Pruner> find_pruner(const Context& context, const Request& request) {
  const auto toolkit = toolkit_of(context, request);
  auto gpus = load_gpus(context.files, context.tree.data);
  if (!toolkit || !gpus)
    return std::nullopt;
  std::string program = toolkit->root + "/bin/nvprune";
  if (access(program.c_str(), X_OK) != 0)
    return std::nullopt;
  return Pruner{std::move(program), toolkit->version, *std::move(gpus)};
}

void compare(const Context& context, const Request& request, FatbinAnswer& answer) {
  std::optional<std::optional<Pruner>> pruner; // looked for where there is something to prune
  for (const FileInventory& file : answer.inventory.files) {
    auto& verdict = answer.verdicts.emplace_back();
    if (!file.whole)
      continue;
    verdict.emplace();
    verdict->comparison = comparison(*answer.expected, file.holding, file.kind);
    verdict->agrees = verdict->comparison.agrees() && (!answer.each || verdict->comparison.partial.empty());
    if (verdict->agrees)
      continue;
    if (!pruner && is_prunable(file, verdict->comparison, *answer.expected))
      pruner = find_pruner(context, request);
    verdict->advice = advice(file, verdict->comparison, *answer.expected, pruner.value_or(std::nullopt));
  }
}

} // namespace

int run_fatbin(const Context& context, const FatbinOptions& options) {
  FatbinAnswer answer;
  answer.members = options.members;
  answer.each = options.each;
  int code = exit_fine;
  if (options.list && !(answer.expected = expectation(context, options, code)))
    return code;
  answer.inventory = inventory(options.paths);
  if (answer.expected)
    compare(context, options.request, answer);
  fmt::print("{}", options.json ? fatbin_json(answer) : fatbin_text(answer, context.terminal));
  std::fflush(stdout); // what is wrong comes behind it
  const bool agrees = !answer.expected || judge(answer);
  for (const Unread& unread : answer.inventory.unread)
    report({shown_name(unread.name) + ": " + unread.error.message, unread.error.hint});
  if (!answer.inventory.unread.empty())
    return exit_broken;
  return agrees ? exit_fine : exit_refused;
}

} // namespace hostpin
