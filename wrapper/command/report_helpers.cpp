// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/report_helpers.hpp"

#include "toolchains/base/scratch.hpp"
#include "toolchains/base/termination.hpp"
#include "toolchains/base/writing.hpp"
#include "wrapper/bind/text.hpp"
#include "wrapper/report/answers.hpp"

#include <iterator>

#include <fmt/format.h>

namespace hostpin {

namespace {

/// Larger answers are not read: 300,000 findings take as much.
constexpr std::size_t answer_limit = std::size_t{512} << 20U;

/// Makes a name that begins with a dash not look like an option.
std::string as_path(const std::string& path) {
  return path.starts_with('-') ? "./" + path : path;
}

/// Runs one of the installation's programs, without a time limit. Returns its output, whatever its exit code:
/// the parser decides whether that is an answer.
Result<std::string> answer_of(const Context& context, const std::string& name,
                              std::vector<std::string> arguments) {
  HostProcesses::Limits limits;
  limits.time = std::chrono::hours(24 * 7);
  limits.output = answer_limit;
  limits.strict = true;
  limits.ending = termination_signals();
  Command command;
  command.argv = {context.tree.programs + '/' + name};
  command.argv.insert(command.argv.end(), std::make_move_iterator(arguments.begin()),
                      std::make_move_iterator(arguments.end()));
  Outcome outcome = HostProcesses(limits).run({&command, 1}).front();
  if (outcome.end == Outcome::End::exited && !outcome.output.empty() && !outcome.truncated)
    return std::move(outcome.output);
  const std::string said = outcome.errors.substr(0, outcome.errors.find('\n'));
  return failure(fmt::format("{} gave no answer: {}", name,
                             outcome.truncated ? "it found more than fits into a report"
                             : said.empty()    ? describe(outcome)
                                               : said),
                 fmt::format("run it by hand to see why: hostpin {}", name));
}

/// Arguments that pass the binding to leak-check; `scratch` holds a binding that is stored nowhere else.
Result<std::vector<std::string>> binding_words(const ReportOptions& options, const Result<Binding>& binding,
                                               const std::string& scratch, const Files& files) {
  if (options.bound)
    return std::vector<std::string>{"--binding", *options.bound};
  if (!binding)
    return std::vector<std::string>{"--no-binding"};
  if (auto written = replace_file(scratch + "/binding.toml", binding_toml(*binding, files), false); !written)
    return tl::unexpected(written.error());
  return std::vector<std::string>{"--binding", scratch};
}

void append(ReportLeaks& all, ReportLeaks&& more, const std::string& of) {
  all.looked_at.push_back(of);
  all.files += more.files;
  all.bytes += more.bytes;
  std::move(more.findings.begin(), more.findings.end(), std::back_inserter(all.findings));
  std::move(more.unseen.begin(), more.unseen.end(), std::back_inserter(all.unseen));
}

} // namespace

Result<ReportLeaks> find_leaks(const Context& context, const ReportOptions& options,
                               const Result<Binding>& binding) {
  ReportLeaks all;
  const auto scratch = ScratchDirectory::make(context.environment);
  if (!scratch)
    return tl::unexpected(scratch.error());
  const auto judge_by = binding_words(options, binding, scratch->path(), context.files);
  if (!judge_by)
    return tl::unexpected(judge_by.error());
  // One at a time: files next to a tree are not part of it.
  for (const std::string& tree : options.trees) {
    std::vector<std::string> words{"--json"};
    words.insert(words.end(), judge_by->begin(), judge_by->end());
    words.push_back(as_path(tree));
    const auto json = answer_of(context, "leak-check", std::move(words));
    if (!json)
      return tl::unexpected(json.error());
    auto leaks = leaks_answer(*json, "leak-check");
    if (!leaks)
      return leaks;
    append(all, *std::move(leaks), tree);
  }
  all.without_binding = !options.trees.empty() && !options.bound && !binding;
  for (const std::string& path : options.answers) {
    const auto json = context.files.read(path, answer_limit);
    if (!json)
      return tl::unexpected(json.error());
    auto leaks = leaks_answer(*json, path);
    if (!leaks)
      return leaks;
    append(all, *std::move(leaks), path);
  }
  return all;
}

Result<ReportLto> check_lto(const Context& context, const ReportOptions& options,
                            const Result<Binding>& binding) {
  std::vector<std::string> words{"--json"};
  if (!options.link.empty()) {
    words.emplace_back("--");
    words.insert(words.end(), options.link.begin(), options.link.end());
  } else {
    if (binding) {
      words.emplace_back("--linker");
      words.push_back(shell_words(binding->link.command));
    }
    for (const std::string& input : options.lto)
      words.push_back(as_path(input));
  }
  const auto json = answer_of(context, "lto-check", std::move(words));
  if (!json)
    return tl::unexpected(json.error());
  auto lto = lto_answer(*json, "lto-check");
  // Only lto-check knows which files the lists and link commands name.
  if (lto && !lto->missing.empty())
    return failure(fmt::format("there is no {}", lto->missing.front()),
                   options.link.empty() ? "name objects and archives with --lto"
                                        : "name a link command behind -- whose inputs are there");
  return lto;
}

} // namespace hostpin
