// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/command/options.hpp"

#include "hooks/leak-check/finding/rules.hpp"
#include "toolchains/base/reading.hpp"
#include "toolchains/base/system_call.hpp"
#include "toolchains/options/options.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <map>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <unordered_set>
#include <utility>

#include <CLI/CLI.hpp>

namespace hostpin::leak {

namespace {

Result<std::string> read_to_end(int descriptor) {
  constexpr std::size_t longest_list = std::size_t{256} << 20U; // some millions of paths
  if (auto bytes = read_all(descriptor, longest_list))
    return *std::move(bytes);
  return failure(errno == EFBIG ? "it is longer than 256 MB" : std::generic_category().message(errno));
}

/// Reads a regular file, or the pipe of a shell's <(...).
Result<std::string> read_list(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file.number() < 0 ? failure(std::generic_category().message(errno)) : read_to_end(file.number());
}

} // namespace

std::vector<std::string> listed_paths(std::string_view list, char end) {
  std::vector<std::string_view> listed; // there may be millions
  while (!list.empty()) {
    const std::string_view path = list.substr(0, list.find(end));
    list.remove_prefix(std::min(path.size() + 1, list.size()));
    if (!path.empty())
      listed.push_back(path);
  }
  std::sort(listed.begin(), listed.end());
  listed.erase(std::unique(listed.begin(), listed.end()), listed.end());
  const std::unordered_set<std::string_view> known(listed.begin(), listed.end());
  const auto is_in_listed_directory = [&](std::string_view path) {
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
      if (slash + 1 < path.size() &&
          (known.contains(path.substr(0, slash)) || known.contains(path.substr(0, slash + 1))))
        return true;
    return false;
  };
  std::vector<std::string> paths;
  for (const std::string_view path : listed)
    if (!is_in_listed_directory(path))
      paths.emplace_back(path);
  return paths;
}

Result<std::vector<std::string>> paths_from(const std::string& list, bool null) {
  const std::string name = list == "-" ? "the list on standard input" : list;
  const auto bytes = list == "-" ? read_to_end(STDIN_FILENO) : read_list(list);
  if (!bytes)
    return failure(name + " cannot be read: " + bytes.error().message,
                   "--files-from takes a file that lists paths, or - for standard input");
  if (!null && bytes->find('\0') != std::string::npos)
    return failure(name + " contains a NUL byte", "add --null for a list such as find -print0 writes");
  auto paths = listed_paths(*bytes, null ? '\0' : '\n');
  if (paths.empty())
    return failure(name + " lists no path", null ? "list the paths to scan, each terminated by a NUL byte"
                                                 : "list the paths to scan, one per line");
  return paths;
}

namespace {

const std::map<std::string, std::optional<Severity>> thresholds = {{"error", Severity::error},
                                                                   {"warning", Severity::warning},
                                                                   {"note", Severity::note},
                                                                   {"never", std::nullopt}};

constexpr const char* description =
    "Finds references to the wrong libraries and paths in build results: PATH is an installed tree or a "
    "file.\nRuns none of the scanned files, and changes nothing without --fix.";

constexpr const char* footer =
    "Exit code: 0 nothing found at the level of --fail-on, 1 something was found, "
    "2 not everything could be scanned, or there was nothing to scan.\n\n"
    "An exception in FILE; rule, path and reference are optional, * matches within "
    "a component, ** across components:\n"
    "  [[exception]]\n"
    "  rule = \"missing-library\"\n"
    "  path = \"lib/plugins/**\"\n"
    "  reference = \"libhost*\"\n"
    "  reason = \"the program that loads the plugins provides it\"";

/// Options for what to compare with.
void add_policy(CLI::App& app, LeakOptions& options) {
  const auto add = [&](const char* name, auto& value, const char* type, const char* text) {
    app.add_option(name, value, text)->type_name(type)->allow_extra_args(false);
  };
  add("--binding", options.binding, "DIR",
      "judge by this bound directory; default: the one that hostpin would bind here");
  app.add_flag("--no-binding", options.no_binding, "judge only by the options given here");
  add("--forbid", options.forbidden, "PATH",
      "nothing may refer to this path or to any below it; may be repeated");
  add("--forbid-file", options.forbidden_files, "FILE",
      "the same for each line of FILE; lines that begin with # are skipped");
  add("--vendor", options.vendor, "PATH",
      "files below PATH are third-party: problems of their own build are reported as notes only");
  add("--build-dir", options.build_directories, "PATH", "no installed file may refer to it");
  add("--store", options.stores, "PATH",
      "files below PATH must not refer to anything of the system; default: /nix/store, /gnu/store");
  add("--driver-dir", options.driver_directory, "PATH",
      "the directory of libcuda.so.1 on this system, if the loader does not search it by default");
  add("--compat-dir", options.compat_directory, "PATH",
      "the directory of cuda_compat's libcuda.so.1, which has to come before the driver's");
  add("--files-from", options.files_from, "FILE",
      "also scan each path listed in FILE (- for standard input), one per line");
  app.add_flag("-0,--null", options.null, "paths in FILE end with a NUL byte instead of a newline");
  add("--root", options.root, "DIR",
      "DIR is a staged tree (DESTDIR): judge it as if it were at /, on top of this system or, if it contains "
      "a loader, in place of it; PATHs are in DIR, with their current names (DIR/usr); default: all of it");
  add("--below", options.below, "DIR",
      "report and match PATHs in DIR by their path below it, as if DIR were named; symlinks there are not "
      "followed");
}

/// Options for the report and the exit code.
void add_outcome(CLI::App& app, LeakOptions& options, std::string& threshold) {
  app.add_flag("--metadata", options.metadata,
               "check only the metadata of ELF and text files and symlinks, not their content");
  app.add_flag("--no-unpack", options.no_unpack,
               "scan packed and compressed data as it is, without opening it: faster, but finds nothing in "
               "compressed data");
  app.add_option("--fail-on", threshold, "the lowest severity that causes exit code 1; default: error")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"error", "warning", "note", "never"}));
  app.add_option("--exceptions", options.exceptions,
                 "findings that are known and accepted, each with its reason (TOML)")
      ->type_name("FILE");
  app.add_flag("--strict", options.strict, "also fail if an exception no longer matches anything");
  app.add_flag(
      "--fix", options.fix,
      "remove wrong entries from run paths (with patchelf), add the run path to a missing library that the "
      "tree contains, print each change, the lines of .pc, .la and CMake files that should change, and what "
      "was not changed, and scan again");
  app.add_option("--no-fix", options.unfixed, "with --fix, do not fix findings of this rule; may be repeated")
      ->type_name("RULE")
      ->allow_extra_args(false);
  app.add_flag("--notes", options.notes, "show notes, too");
  app.add_flag(
      "--json", options.json,
      "print everything as JSON: schema, files, bytes, findings[] {rule, severity, path, member, section, "
      "offset, reference, resolved, explanation, cure, fingerprint}, rules {explanation of each rule found}, "
      "unseen[] {path, member, section, "
      "reason}, capabilities[] {capability, code, use, entries, bytes} of device code that was opened");
  app.add_flag("--sarif", options.sarif, "the same as SARIF 2.1.0");
  app.add_flag("--rules", options.rules, "print every rule with its explanation and fix");
}

} // namespace

Result<LeakOptions> leak_options(std::span<const char* const> arguments) {
  LeakOptions options;
  std::string threshold = "error";
  CLI::App app(description, "hostpin leak-check");
  options::add_usage(app,
                     {"[--binding DIR | --no-binding] [--forbid PATH]... [OPTION]... PATH...", "--rules"});
  add_policy(app, options);
  add_outcome(app, options, threshold);
  app.footer(footer);
  auto operands = options::read_options(app, arguments);
  if (!operands || !operands->help.empty())
    return options::error_or_help<LeakOptions>(operands);
  if (options.rules)
    return options;
  options.fail_on = thresholds.at(threshold);
  options.paths = std::move(operands->words);
  if (operands->after_dashes)
    options.paths.insert(options.paths.end(), operands->after_dashes->begin(), operands->after_dashes->end());
  if (options.paths.empty() && options.files_from.empty() && !options.root.empty())
    options.paths.push_back(options.root);
  if (options.paths.empty() && options.files_from.empty())
    return options::misuse(app, "leak-check needs a tree or a file to scan");
  if (options.null && options.files_from.empty())
    return options::misuse(app, "--null needs --files-from");
  if (options.no_binding && !options.binding.empty())
    return options::misuse(app, "--binding and --no-binding exclude each other");
  if (options.json && options.sarif)
    return options::misuse(app, "--json and --sarif exclude each other");
  for (const std::string& name : options.unfixed)
    if (!rule_named(name))
      return failure("--no-fix takes the name of a rule, not " + name,
                     "hostpin leak-check --rules names them");
  return options;
}

} // namespace hostpin::leak
