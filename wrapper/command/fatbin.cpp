// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/fatbin.hpp"

#include "wrapper/command/commands.hpp"
#include "wrapper/command/gpu_list.hpp"

#include <algorithm>

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
    if (toolkit)
      release = toolkit->version;
    else
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
    report_note(fmt::format("{}: {} of its {} fatbins have no {}", file.path,
                            file.holding.fatbins - fatbins_for(code, file.holding, file.kind),
                            file.holding.fatbins, to_string(code)));
}

/// Says what does not agree; whether all does.
bool judge(const FatbinAnswer& answer) {
  const Inventory& found = answer.inventory;
  if (found.files.empty() && found.unread.empty()) {
    report({"there is no device code here at all", "name what was built, or the directory that it is in"});
    return false;
  }
  bool fine = true;
  for (std::size_t i = 0; i < found.files.size(); ++i) {
    const Comparison& comparison = answer.comparisons[i];
    report_partial(found.files[i], comparison);
    if (comparison.agrees())
      continue;
    report(disagreement(found.files[i], comparison, *answer.expected));
    fine = false;
  }
  return fine;
}

} // namespace

int run_fatbin(const Context& context, const FatbinOptions& options) {
  FatbinAnswer answer;
  answer.members = options.members;
  int code = exit_fine;
  if (options.list && !(answer.expected = expectation(context, options, code)))
    return code;
  answer.inventory = inventory(options.paths);
  if (answer.expected)
    for (const FileInventory& file : answer.inventory.files)
      answer.comparisons.push_back(comparison(*answer.expected, file.holding, file.kind));
  fmt::print("{}", options.json ? fatbin_json(answer) : fatbin_text(answer, context.terminal));
  std::fflush(stdout); // what is wrong comes behind it
  for (const Unread& unread : answer.inventory.unread)
    report({unread.name + ": " + unread.error.message, unread.error.hint});
  if (answer.expected && !judge(answer))
    return exit_refused;
  return answer.inventory.unread.empty() ? exit_fine : exit_broken;
}

} // namespace hostpin
