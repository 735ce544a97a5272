// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/fatbin.hpp"

#include "toolchains/base/unicode.hpp"
#include "wrapper/command/capabilities.hpp"
#include "wrapper/command/commands.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <set>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace hostpin {

namespace {

/// Reports why there is none, and sets `code` to the exit code.
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
        report_note(
            fmt::format("against CUDA {}.{} in {}", release->major, release->minor, escaped(toolkit->root)));
    } else
      broken = toolkit.error();
  }
  if (broken) {
    report(*broken);
    code = exit_broken;
    return std::nullopt;
  }
  auto expansion = expanded(context, *gpus, *options.list, release, !options.no_forward_compatibility,
                            options.request.toolkit);
  if (!expansion) {
    report(expansion.error());
    code = exit_broken;
    return std::nullopt;
  }
  for (const std::string& note : expansion->notes)
    if (note != note_for_cmake)
      report_note(note);
  return *std::move(expansion);
}

/// Notes of one kind: the first few, and how many other files have one.
class Notes {
public:
  explicit Notes(const char* rest) : rest_(rest) {}

  void add(const FileInventory& file, const std::vector<std::string>& notes) {
    if (notes.empty() || ++files_ > most)
      return;
    for (const std::string& note : notes)
      report_note(escaped(file.path) + ": " + note);
  }

  void end() const {
    if (files_ > most)
      report_note(fmt::format("{} more file{} {}: --json lists them", files_ - most,
                              files_ - most == 1 ? "" : "s", rest_));
  }

private:
  static constexpr std::size_t most = 5;
  const char* rest_;
  std::size_t files_ = 0;
};

std::vector<std::string> partial_notes(const FileInventory& file, const Comparison& comparison) {
  std::vector<std::string> notes;
  for (const HeldCode& code : comparison.partial) {
    const std::uint64_t lacking = fatbins_without(code, file.holding, file.kind);
    notes.push_back(fmt::format("{} of its {} fatbins {} no {}{}", lacking,
                                file.holding.fatbins - file.holding.idle, lacking == 1 ? "has" : "have",
                                to_string(code), members_text(code, file)));
  }
  return notes;
}

std::vector<std::string> lost_notes(const GpuExpansion& expected, const Comparison& comparison) {
  std::vector<std::string> notes;
  for (const HeldCode& code : comparison.lost)
    if (expected.added_ptx == code.capability)
      notes.push_back(
          fmt::format("no {}: a device link drops PTX, so it does not run on later GPUs", to_string(code)));
  return notes;
}

void report_notes(const FatbinAnswer& answer) {
  Notes lost("lost the PTX in a device link"), partial("contain some of it in only some of their fatbins");
  for (std::size_t i = 0; i < answer.verdicts.size(); ++i) {
    const auto& verdict = answer.verdicts[i];
    if (!verdict)
      continue;
    const FileInventory& file = answer.inventory.files[i];
    lost.add(file, lost_notes(*answer.expected, verdict->comparison));
    if (!answer.each)
      partial.add(file, partial_notes(file, verdict->comparison));
  }
  lost.end();
  partial.end();
}

/// Reports what does not agree.
void judge(const FatbinAnswer& answer) {
  const Inventory& found = answer.inventory;
  if (found.files.empty() && found.unread.empty())
    report({"no file has device code", "name what was built, or the directory that it is in"});
  report_notes(answer);
  std::size_t judged = 0, wrong = 0;
  std::set<std::string> printed_hints; // a hint that many files share is printed once
  for (std::size_t i = 0; i < found.files.size(); ++i) {
    const auto& verdict = answer.verdicts[i];
    if (!verdict)
      continue;
    ++judged;
    if (verdict->agrees)
      continue;
    ++wrong;
    Error error = disagreement(found.files[i], *verdict, answer.each);
    if (!printed_hints.insert(error.hint).second)
      error.hint.clear();
    report(error);
  }
  if (judged > 1 && wrong != 0)
    report({fmt::format("{} of {} files {} not contain what is required", wrong, judged,
                        wrong == 1 ? "does" : "do"),
            {}});
}

/// Nothing if the toolkit has none; the error for a missing toolkit is not needed here.
std::optional<Pruner> find_pruner(const Context& context, const Request& request,
                                  const std::vector<Gpu>& gpus) {
  const auto toolkit = toolkit_of(context, request);
  if (!toolkit)
    return std::nullopt;
  std::string program = toolkit->root + "/bin/nvprune";
  if (access(program.c_str(), X_OK) != 0)
    return std::nullopt;
  return Pruner{std::move(program), toolkit->version, gpus};
}

bool are_jetsons(const std::vector<HeldCode>& codes, const std::vector<Gpu>& gpus) {
  return !codes.empty() && std::all_of(codes.begin(), codes.end(), [&](const HeldCode& code) {
    const Gpu* const gpu = find_gpu(gpus, code.capability);
    return gpu != nullptr && gpu->jetson;
  });
}

void compare(const Context& context, const Request& request, FatbinAnswer& answer) {
  const std::vector<Gpu> gpus =
      load_gpus(context.files, context.tree.data).value_or(std::vector<Gpu>()); // read once already
  std::optional<std::optional<Pruner>> pruner; // searched once there is something to prune
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
      pruner = find_pruner(context, request, gpus);
    verdict->only_jetsons_too_many = are_jetsons(verdict->comparison.surplus, gpus);
    verdict->advice = advice(file, verdict->comparison, *answer.expected, pruner.value_or(std::nullopt));
  }
}

} // namespace

std::optional<bool> FatbinAnswer::agrees() const {
  if (!expected || !inventory.unread.empty())
    return std::nullopt;
  return !verdicts.empty() && std::all_of(verdicts.begin(), verdicts.end(),
                                          [](const auto& verdict) { return !verdict || verdict->agrees; });
}

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
  if (std::fflush(stdout) != 0)                              // errors are printed after it
    throw std::system_error(errno, std::generic_category()); // as fmt throws
  if (answer.expected)
    judge(answer);
  for (const Unread& unread : answer.inventory.unread)
    report({escaped(unread.name) + ": " + unread.error.message, unread.error.hint});
  if (!answer.inventory.unread.empty())
    return exit_broken;
  return answer.agrees().value_or(true) ? exit_fine : exit_refused;
}

} // namespace hostpin
