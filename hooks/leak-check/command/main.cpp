// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/command/judged_by.hpp"
#include "hooks/leak-check/command/loaders.hpp"
#include "hooks/leak-check/command/options.hpp"
#include "hooks/leak-check/command/progress_line.hpp"
#include "hooks/leak-check/command/sharded.hpp"
#include "hooks/leak-check/command/staged.hpp"
#include "hooks/leak-check/exceptions/exceptions.hpp"
#include "hooks/leak-check/fix/fix.hpp"
#include "hooks/leak-check/judge/judge.hpp"
#include "hooks/leak-check/judge/remembered.hpp"
#include "hooks/leak-check/policy/policy.hpp"
#include "hooks/leak-check/report/report.hpp"
#include "hooks/leak-check/scan/scan.hpp"
#include "hooks/leak-check/text/words.hpp"
#include "toolchains/base/environment.hpp"
#include "toolchains/base/process.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <malloc.h>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

using namespace hostpin;

constexpr int exit_clean = 0, exit_found = 1, exit_unseen = 2;

void print(std::FILE* stream, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stream);
}

bool put(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
}

/// Whether all of it is out: a report that is cut, or nowhere, is not to pass for a clean one.
bool is_written() {
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

/// As a terminal may show it: what is wrong may be a name in --files-from, which is any bytes.
std::string plain(const std::string& text) {
  std::string lines;
  for (const std::string& line : split(text, '\n'))
    lines.append(lines.empty() ? "" : "\n").append(shown(Location{line, {}, {}, std::nullopt}));
  return lines;
}

int give_up(const Error& error) {
  std::string text = "hostpin: error: " + plain(error.message) + '\n';
  if (!error.hint.empty())
    text += "hint: " + plain(error.hint) + '\n';
  print(stderr, text);
  return exit_unseen;
}

int unwritten() {
  return give_up({"the report cannot be written: " + std::generic_category().message(errno),
                  "give standard output room, or another place"});
}

/// `stamp`: of the shard that is scanned, to be completed; nullptr where all is.
Result<Findings> judged(const LeakOptions& options, const World& world, const std::string& scratch,
                        std::vector<Exception>& exceptions, FixableFiles& fixable, ShardStamp* stamp) {
  Findings empty;
  empty.found.allow(FindingList::bytes_beside(options.memory));
  Judge judge(world, std::move(empty), [&](const Finding& finding) { return accept(exceptions, finding); });
  ScanOptions how;
  how.threads = std::clamp(std::thread::hardware_concurrency(), 1U, 16U);
  how.scratch = scratch;
  how.content = !options.metadata;
  how.unpack = !options.no_unpack;
  ScanProgress progress;
  how.progress = &progress;
  how.below = options.below;
  if (options.memory > 0)
    how.limits.window = options.memory;
  std::optional<Share> share;
  if (stamp != nullptr)
    how.share = &share.emplace(options.paths, options.below, stamp->number);
  const ProgressLine line(progress, STDERR_FILENO, options.watched);
  fixable.clear();
  scan_tree(options.paths, world.unwanted.needles(), how, [&](ScannedFile&& file) {
    const bool mended =
        options.fix && (file.kind == ScannedFile::Kind::elf || file.kind == ScannedFile::Kind::text);
    const std::string reported = whole_path({file.path, {}, {}, std::nullopt, tree_of(file, world)});
    std::string place = mended ? file.file : std::string();
    if (judge.see(std::move(file)) && mended)
      fixable.emplace(reported, std::move(place));
  });
  Findings findings = judge.finish(stamp != nullptr ? &stamp->surroundings : nullptr);
  if (stamp == nullptr)
    return findings;
  return complete(*stamp, *share, exceptions).map([&] { return std::move(findings); });
}

std::set<Rule> left_by_fix(const LeakOptions& options) {
  std::set<Rule> rules;
  for (const std::string& name : options.unfixed)
    if (const auto rule = rule_named(name))
      rules.insert(*rule);
  return rules;
}

/// What is left when exceptions have taken away theirs, and after a repair. `stamp`: for a shard's.
Result<Findings> scan(const LeakOptions& options, const Environment& environment, const Files& files,
                      const Processes& processes, std::vector<Exception>& exceptions,
                      std::optional<ShardStamp>& stamp) {
  std::unique_ptr<RootedFiles> root;
  if (!options.root.empty()) {
    auto staged = staged_root(options.root, options.paths, files);
    if (!staged)
      return tl::unexpected(staged.error());
    root = *std::move(staged);
  }
  auto policy = policy_of(options, environment, files);
  if (!policy)
    return tl::unexpected(policy.error());
  if (root)
    fit_to_root(*policy, *root);
  const RememberedFiles remembered; // from here on nothing is made or moved
  const auto unwanted = Unwanted::make(*policy, remembered);
  if (!unwanted)
    return tl::unexpected(unwanted.error());
  const Files& judged_files = root ? static_cast<const Files&>(*root) : remembered;
  const LoaderTrust trust{policy->compiler_prefixes, absolute(options.paths, files),
                          absolute(options.stores, files)};
  Loaders loaders(judged_files, processes, trust, root.get());
  const World world{
      *policy,
      *unwanted,
      judged_files,
      [&](const std::string& loader, const ElfKind& kind) { return loaders.named(loader, kind); },
      options.paths.size() > 1 && options.below.empty(),
      root.get()};
  const std::string scratch = environment["TMPDIR"].value_or("/tmp");
  if (options.shard)
    stamp = stamp_of(options, *policy, *unwanted, exceptions, HOSTPIN_VERSION);
  FixableFiles fixable;
  auto findings = judged(options, world, scratch, exceptions, fixable, stamp ? &*stamp : nullptr);
  if (!options.fix || !findings)
    return findings;
  const Fixes fixes = fix(findings->found, fixable, left_by_fix(options), world, processes);
  print(stderr, fixes_text(fixes));
  if (fixes.done.empty())
    return findings;
  findings = Findings(); // one list at a time
  return judged(options, world, scratch, exceptions, fixable, nullptr);
}

/// Says on stderr which exceptions fit nothing any more; whether there are any.
bool tell_unused(const std::vector<Exception>& exceptions, const std::string& file) {
  bool unused = false;
  for (const Exception& exception : exceptions)
    if (exception.used == 0) {
      print(stderr, "hostpin: warning: " + plain(file) + ':' + std::to_string(exception.line) +
                        ": this exception matches nothing any more\nhint: remove it\n");
      unused = true;
    }
  return unused;
}

/// `stamp`: a shard's.
bool is_reported(const Findings& findings, const LeakOptions& options,
                 const std::optional<ShardStamp>& stamp = std::nullopt) {
  if (stamp)
    report_shard(findings, *stamp, put);
  else if (options.sarif)
    report_sarif(findings, HOSTPIN_VERSION, put);
  else if (options.json)
    report_json(findings, put);
  else
    report_text(findings, options.notes, put);
  return is_written();
}

/// A list that had no room for all is no reason to doubt what was counted: where that alone makes a 1, it is
/// one. Otherwise whoever reads the list, and holds it against another, is told that it is not whole.
/// `entries`: in the tree, also those that another shard looks at.
int exit_code(const Findings& findings, const LeakOptions& options, std::uint64_t entries) {
  if (!findings.unseen.empty() || entries == 0)
    return exit_unseen;
  const auto gravest = findings.gravest();
  if (gravest && options.fail_on && *gravest >= *options.fail_on)
    return exit_found;
  return findings.is_whole() ? exit_clean : exit_unseen;
}

/// The report, and the exit code that it stands for. `exceptions` of that file.
int finish(const Findings& findings, const LeakOptions& options, const std::vector<Exception>& exceptions,
           const std::string& exceptions_file) {
  if (findings.files == 0)
    print(
        stderr,
        "hostpin: warning: there was no file to look at\nhint: is that the place where it was installed?\n");
  const bool unused = tell_unused(exceptions, exceptions_file);
  if (!is_reported(findings, options))
    return unwritten();
  const int code = exit_code(findings, options, findings.files);
  return code == exit_clean && unused && options.strict ? exit_found : code;
}

int merge(const LeakOptions& options) {
  const auto scan = merged_scan(options, HOSTPIN_VERSION);
  return scan ? finish(scan->findings, options, scan->exceptions, scan->exceptions_file)
              : give_up(scan.error());
}

} // namespace

int main(int argc, char** argv, char** envp) {
  // What threads free in arenas of their own is none that others can have; they seldom ask at one time.
  ::mallopt(M_ARENA_MAX, 1);
  auto options = leak_options({argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
  if (!options)
    return give_up(options.error());
  if (options->help || options->rules)
    return put(options->help ? std::string(leak_usage) : rules_text()) && is_written() ? exit_clean
                                                                                       : unwritten();
  const Environment environment = Environment::from(envp);
  options->watched = wants_progress(environment, ::isatty(STDERR_FILENO) == 1);
  if (options->merge)
    return merge(*options);
  const DiskFiles files;
  const HostProcesses processes;
  if (!options->files_from.empty()) {
    constexpr std::size_t longest_list = std::size_t{256} << 20U; // some millions of paths
    const auto list = files.read(options->files_from, longest_list);
    if (!list)
      return give_up(list.error());
    for (std::string& path : listed_paths(*list))
      options->paths.push_back(std::move(path));
    if (options->paths.empty())
      return give_up(
          {options->files_from + " names no path", "leak-check needs a tree or a file to look at"});
  }
  std::vector<Exception> exceptions;
  if (!options->exceptions.empty()) {
    auto read = read_exceptions(files, options->exceptions); // before a long scan
    if (!read)
      return give_up(read.error());
    exceptions = *std::move(read);
  }
  std::optional<ShardStamp> stamp;
  const auto findings = scan(*options, environment, files, processes, exceptions, stamp);
  if (!findings)
    return give_up(findings.error());
  if (!stamp)
    return finish(*findings, *options, exceptions, options->exceptions);
  return is_reported(*findings, *options, stamp) ? exit_code(*findings, *options, stamp->entries)
                                                 : unwritten();
}
