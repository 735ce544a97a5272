// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/command/judged_by.hpp"
#include "hooks/leak-check/command/loaders.hpp"
#include "hooks/leak-check/command/options.hpp"
#include "hooks/leak-check/finding/exceptions.hpp"
#include "hooks/leak-check/finding/report.hpp"
#include "hooks/leak-check/fix/fix.hpp"
#include "hooks/leak-check/judge/files.hpp"
#include "hooks/leak-check/judge/judge.hpp"
#include "hooks/leak-check/judge/policy.hpp"
#include "hooks/leak-check/needles/path_text.hpp"
#include "hooks/leak-check/scan/scan.hpp"
#include "toolchains/base/environment.hpp"
#include "toolchains/base/error_report.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/threads.hpp"
#include "toolchains/options/options.hpp"
#include "toolchains/options/progress_line.hpp"

#include <cerrno>
#include <cstdio>
#include <iterator>
#include <malloc.h>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

using namespace hostpin;
using namespace hostpin::leak;

constexpr int exit_clean = 0, exit_found = 1, exit_unseen = 2;

void print(std::FILE* stream, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stream);
}

bool put(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
}

/// Whether the whole report was written: a truncated or lost report must not pass for a clean one.
bool is_written() {
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

/// Safe for a terminal: an error may contain a name from --files-from, which can be any bytes.
std::string plain(const std::string& text) {
  std::string lines;
  for (const std::string& line : split(text, "\n"))
    lines.append(lines.empty() ? "" : "\n").append(shown(Location{line, {}, {}, std::nullopt}));
  return lines;
}

int give_up(const Error& error) {
  print_failure({plain(error.message), plain(error.hint), error.kind});
  return exit_unseen;
}

int unwritten() {
  return give_up({"the report cannot be written: " + std::generic_category().message(errno),
                  "free space for standard output, or redirect it"});
}

/// `1234 files, 1.2 GB: lib/libf.so`
std::string progress_of(const ScanProgress::State& state, std::size_t columns) {
  return options::progress_text(std::to_string(state.files) + (state.files == 1 ? " file, " : " files, ") +
                                    options::amount_text(state.bytes),
                                state.path, columns);
}

Findings judged(const LeakOptions& options, const World& world, const std::string& scratch,
                std::vector<Exception>& exceptions, FixableFiles& fixable) {
  Judge judge(world, [&](const Finding& finding) { return accept(exceptions, finding); });
  ScanOptions how;
  how.threads = processor_threads();
  how.scratch = scratch;
  how.content = !options.metadata;
  how.open_packed = !options.no_unpack;
  ScanProgress progress;
  how.progress = &progress;
  how.below = options.below;
  const options::ProgressLine line(
      [&progress](std::size_t columns) { return progress_of(progress.state(), columns); }, STDERR_FILENO,
      options.watched);
  fixable.clear();
  scan_tree(options.paths, world.unwanted.needles(), how, [&](ScannedFile&& file) {
    const bool is_elf = file.kind == ScannedFile::Kind::elf; // judged again once all files are known
    const bool may_fix = options.fix && (is_elf || file.kind == ScannedFile::Kind::text);
    const std::string reported = whole_path({file.path, {}, {}, std::nullopt, tree_of(file, world)});
    std::string place = may_fix ? file.file : std::string();
    if ((judge.judge_file(std::move(file)) || is_elf) && may_fix)
      fixable.emplace(reported, std::move(place));
  });
  return judge.finish();
}

std::set<Rule> left_by_fix(const LeakOptions& options) {
  std::set<Rule> rules;
  for (const std::string& name : options.unfixed)
    if (const auto rule = rule_named(name))
      rules.insert(*rule);
  return rules;
}

/// The findings that remain after exceptions, and after a repair.
Result<Findings> scan(const LeakOptions& options, const Environment& environment, const Files& files,
                      const Processes& processes, std::vector<Exception>& exceptions) {
  std::unique_ptr<RootedFiles> root;
  if (!options.root.empty()) {
    TRY_ASSIGN(auto staged, staged_root(options.root, options.paths, files));
    root = std::move(staged);
  }
  TRY_ASSIGN(auto policy, policy_of(options, environment, files));
  if (root)
    fit_to_root(policy, *root);
  const CachedFiles disk; // from here on no file is created or moved
  TRY_ASSIGN(const auto unwanted, Unwanted::make(policy, disk));
  const Files& judged_files = root ? static_cast<const Files&>(*root) : disk;
  const LoaderTrust trust{policy.compiler_prefixes, options.paths, absolute(options.stores, files)};
  Loaders loaders(judged_files, processes, trust, root.get(), {policy.other_machine, policy.loader});
  const World world{
      policy,
      unwanted,
      judged_files,
      [&](const std::string& loader, const binary::ElfKind& kind) { return loaders.named(loader, kind); },
      options.paths.size() > 1 && options.below.empty(),
      root.get()};
  const std::string scratch = environment["TMPDIR"].value_or("/tmp");
  FixableFiles fixable;
  Findings findings = judged(options, world, scratch, exceptions, fixable);
  if (!options.fix)
    return findings;
  const Fixes fixes = fix(findings.found, fixable, left_by_fix(options), world, processes);
  print(stderr, fixes_text(fixes));
  if (fixes.done.empty())
    return findings;
  return judged(options, world, scratch, exceptions, fixable);
}

/// Reports on stderr which exceptions no longer match anything; returns whether there are any.
bool report_unused(const std::vector<Exception>& exceptions, const std::string& file) {
  bool unused = false;
  for (const Exception& exception : exceptions)
    if (exception.used == 0) {
      print(stderr, "hostpin: warning: " + plain(file) + ':' + std::to_string(exception.line) +
                        ": this exception no longer matches anything\nhint: remove it\n");
      unused = true;
    }
  return unused;
}

bool is_reported(const Findings& findings, const LeakOptions& options, const Terminal& terminal) {
  return put(options.sarif  ? report_sarif(findings, HOSTPIN_VERSION)
             : options.json ? report_json(findings)
                            : report_text(findings, options.notes, terminal)) &&
         is_written();
}

int exit_code(const Findings& findings, const LeakOptions& options) {
  if (!findings.unseen.empty() || findings.files == 0)
    return exit_unseen;
  const auto most_severe = findings.most_severe();
  return most_severe && options.fail_on && *most_severe >= *options.fail_on ? exit_found : exit_clean;
}

/// Prints the report, and returns its exit code.
int finish(const Findings& findings, const LeakOptions& options, const std::vector<Exception>& exceptions,
           const Terminal& terminal) {
  if (findings.files == 0)
    print(stderr,
          "hostpin: warning: there was no file to scan\nhint: name the directory of an installation\n");
  const bool unused = report_unused(exceptions, options.exceptions);
  if (!is_reported(findings, options, terminal))
    return unwritten();
  const int code = exit_code(findings, options);
  return code == exit_clean && unused && options.strict ? exit_found : code;
}

} // namespace

int main(int argc, char** argv, char** envp) {
  // Memory that threads free in separate arenas is not available to others; contention for one arena is rare.
  ::mallopt(M_ARENA_MAX, 1);
  auto options = leak_options({argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
  if (!options)
    return give_up(options.error());
  const Environment environment = Environment::from(envp);
  const Terminal terminal(false, terminal_width(environment, STDOUT_FILENO));
  if (!options->help.empty() || options->rules)
    return put(options->rules ? rules_text(terminal)
                              : options::wrapped_help(options->help, terminal.width())) &&
                   is_written()
               ? exit_clean
               : unwritten();
  options->watched = options::wants_progress(environment, ::isatty(STDERR_FILENO) == 1);
  const DiskFiles files;
  const HostProcesses processes;
  if (!options->files_from.empty()) {
    auto listed = paths_from(options->files_from, options->null);
    if (!listed)
      return give_up(listed.error());
    options->paths.insert(options->paths.end(), std::make_move_iterator(listed->begin()),
                          std::make_move_iterator(listed->end()));
  }
  std::vector<Exception> exceptions;
  if (!options->exceptions.empty()) {
    auto read = read_exceptions(files, options->exceptions); // before a long scan
    if (!read)
      return give_up(read.error());
    exceptions = *std::move(read);
  }
  const auto findings = scan(*options, environment, files, processes, exceptions);
  return findings ? finish(*findings, *options, exceptions, terminal) : give_up(findings.error());
}
