// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/command/options.hpp"

#include "hooks/leak-check/finding/rules.hpp"
#include "hooks/leak-check/text/words.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <unordered_set>
#include <utility>

namespace hostpin {

namespace {

tl::unexpected<Error> misuse(std::string message) {
  return failure(std::move(message), "hostpin leak-check --help says what it takes");
}

struct Flag {
  std::string_view name;
  bool LeakOptions::*set;
};
constexpr std::array flags = {
    Flag{"--help", &LeakOptions::help},
    Flag{"-h", &LeakOptions::help},
    Flag{"--rules", &LeakOptions::rules},
    Flag{"--json", &LeakOptions::json},
    Flag{"--sarif", &LeakOptions::sarif},
    Flag{"--strict", &LeakOptions::strict},
    Flag{"--fix", &LeakOptions::fix},
    Flag{"--notes", &LeakOptions::notes},
    Flag{"--metadata", &LeakOptions::metadata},
    Flag{"--no-unpack", &LeakOptions::no_unpack},
    Flag{"--no-binding", &LeakOptions::no_binding},
    Flag{"--null", &LeakOptions::null},
    Flag{"-0", &LeakOptions::null},
};

struct Value {
  std::string_view name;
  std::string LeakOptions::*one;
  std::vector<std::string> LeakOptions::*many;
};
constexpr std::array values = {
    Value{"--binding", &LeakOptions::binding, nullptr},
    Value{"--exceptions", &LeakOptions::exceptions, nullptr},
    Value{"--files-from", &LeakOptions::files_from, nullptr},
    Value{"--below", &LeakOptions::below, nullptr},
    Value{"--root", &LeakOptions::root, nullptr},
    Value{"--driver-dir", &LeakOptions::driver_directory, nullptr},
    Value{"--compat-dir", &LeakOptions::compat_directory, nullptr},
    Value{"--no-fix", nullptr, &LeakOptions::unfixed},
    Value{"--forbid", nullptr, &LeakOptions::forbidden},
    Value{"--forbid-file", nullptr, &LeakOptions::forbidden_files},
    Value{"--vendor", nullptr, &LeakOptions::vendor},
    Value{"--build-dir", nullptr, &LeakOptions::build_directories},
    Value{"--store", nullptr, &LeakOptions::stores},
};

struct Threshold {
  std::string_view name;
  std::optional<Severity> severity;
};
constexpr std::array thresholds = {
    Threshold{"error", Severity::error},
    Threshold{"warning", Severity::warning},
    Threshold{"note", Severity::note},
    Threshold{"never", std::nullopt},
};

bool is(std::string_view word, std::string_view name) {
  return word.starts_with(name) && (word.size() == name.size() || word[name.size()] == '=');
}

Result<void> take_value(LeakOptions& options, std::string_view name, const std::string& value) {
  if (name == "--fail-on") {
    const auto* const known = std::find_if(thresholds.begin(), thresholds.end(),
                                           [&](const Threshold& one) { return one.name == value; });
    if (known == thresholds.end())
      return misuse("--fail-on takes error, warning, note or never, and not " + value);
    options.fail_on = known->severity;
    return {};
  }
  const auto* const row =
      std::find_if(values.begin(), values.end(), [&](const Value& one) { return one.name == name; });
  if (row->one != nullptr)
    options.*row->one = value;
  else
    (options.*row->many).push_back(value);
  return {};
}

std::string_view value_name(std::string_view word) {
  if (is(word, "--fail-on"))
    return "--fail-on";
  const auto* const row =
      std::find_if(values.begin(), values.end(), [&](const Value& one) { return is(word, one.name); });
  return row == values.end() ? std::string_view() : row->name;
}

Result<void> take(LeakOptions& options, std::span<const char* const> arguments, std::size_t& at) {
  const std::string_view word = arguments[at];
  const auto* const flag =
      std::find_if(flags.begin(), flags.end(), [&](const Flag& one) { return one.name == word; });
  if (flag != flags.end()) {
    options.*flag->set = true;
    return {};
  }
  if (const std::string_view name = value_name(word); !name.empty()) {
    std::string value;
    if (word.size() > name.size())
      value = word.substr(name.size() + 1);
    else if (at + 1 < arguments.size())
      value = arguments[++at];
    if (value.empty())
      return misuse(std::string(name) + " needs a value");
    return take_value(options, name, value);
  }
  if (word.size() > 1 && word.starts_with('-'))
    return misuse("leak-check has no option " + std::string(word));
  options.paths.emplace_back(word);
  return {};
}

Result<std::string> read_to_end(int descriptor) {
  constexpr std::size_t longest_list = std::size_t{256} << 20U; // some millions of paths
  constexpr std::size_t piece = std::size_t{64} << 10U;
  std::string bytes;
  for (;;) {
    const std::size_t filled = bytes.size();
    bytes.resize(filled + piece);
    const ssize_t count = ::read(descriptor, bytes.data() + filled, piece);
    if (count < 0 && errno == EINTR)
      bytes.resize(filled);
    else if (count < 0)
      return failure(std::generic_category().message(errno));
    else
      bytes.resize(filled + static_cast<std::size_t>(count));
    if (count == 0)
      return bytes;
    if (bytes.size() > longest_list)
      return failure("it is longer than 256 MB");
  }
}

/// A regular file, or what a shell's <(...) names.
Result<std::string> read_list(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return failure(std::generic_category().message(errno));
  auto bytes = read_to_end(descriptor);
  ::close(descriptor);
  return bytes;
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
    return failure(name + " holds a NUL byte", "add --null for a list such as find -print0 writes");
  auto paths = listed_paths(*bytes, null ? '\0' : '\n');
  if (paths.empty())
    return failure(name + " names no path", null ? "list the paths to scan, each followed by a NUL byte"
                                                 : "list the paths to scan, one a line");
  return paths;
}

Result<LeakOptions> leak_options(std::span<const char* const> arguments) {
  LeakOptions options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (std::string_view(arguments[i]) == "--") {
      options.paths.insert(options.paths.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                           arguments.end());
      break;
    }
    if (auto taken = take(options, arguments, i); !taken)
      return tl::unexpected(taken.error());
  }
  if (options.help || options.rules)
    return options;
  if (options.paths.empty() && options.files_from.empty() && !options.root.empty())
    options.paths.push_back(options.root);
  if (options.paths.empty() && options.files_from.empty())
    return misuse("leak-check needs a tree or a file to look at");
  if (options.null && options.files_from.empty())
    return misuse("--null is about the list that --files-from names");
  if (options.no_binding && !options.binding.empty())
    return misuse("--binding and --no-binding exclude each other");
  if (options.json && options.sarif)
    return misuse("--json and --sarif exclude each other");
  for (const std::string& name : options.unfixed)
    if (!rule_named(name))
      return failure("--no-fix takes the name of a rule, and not " + name,
                     "hostpin leak-check --rules names them");
  return options;
}

const char* const leak_usage =
    "usage: hostpin leak-check [--binding DIR | --no-binding] [--forbid PATH]... [OPTION]... PATH...\n"
    "       hostpin leak-check --rules\n\n"
    "Finds references to the wrong libraries and paths in what was built: PATH is an installed tree or a "
    "file.\n"
    "Runs nothing of it, and changes nothing without --fix.\n\n"
    "  --binding DIR       judge by this bound directory; default: what hostpin would bind here\n"
    "  --no-binding        judge only by what is named here\n"
    "  --forbid PATH       nothing may refer to it, or below it; may be repeated\n"
    "  --forbid-file FILE  the same for each line of FILE; lines with # first are skipped\n"
    "  --vendor PATH       what lies there was taken over as it came: of its makers' own build only a note "
    "is taken\n"
    "  --build-dir PATH    nothing that is installed may refer to it\n"
    "  --store PATH        what lies there is to refer to nothing of the system; default: /nix/store, "
    "/gnu/store\n"
    "  --driver-dir PATH   where this system keeps libcuda.so.1, if the loader does not look there by "
    "itself\n"
    "  --compat-dir PATH   where cuda_compat's libcuda.so.1 lies, which is to come before the driver's\n"
    "  --files-from FILE   scan each path listed in FILE (- for standard input), too: one a line\n"
    "  -0,--null           paths in FILE end with a NUL byte instead of a newline\n"
    "  --root DIR          DIR is a staged tree (DESTDIR): judge it as if it lay at /, on top of this "
    "system or, where\n"
    "                      it has a loader of its own, in place of it; PATHs lie in DIR, named as they are "
    "now "
    "(DIR/usr),\n"
    "                      default: all of it\n"
    "  --below DIR         of PATHs that lie in DIR, tell and match the path below it, as if DIR were named; "
    "symlinks\n"
    "                      there are not followed\n"
    "  --metadata          only what ELF and text files and symlinks say of themselves, not what stands "
    "anywhere in them\n"
    "  --no-unpack         look at what is packed as it lies, and open nothing: quicker, and blind to what "
    "is compressed\n"
    "  --fail-on WHAT      error (default), warning, note, or never: the least that exit code 1 stands for\n"
    "  --exceptions FILE   findings that are known and accepted, each with its reason (TOML)\n"
    "  --strict            an exception that matches nothing any more fails, too\n"
    "  --fix               take what is wrong out of run paths (with patchelf) and out of .pc, .la and CMake "
    "files,\n"
    "                      add the run path to a missing library that the tree holds, show each change and "
    "what was\n"
    "                      left, and scan again\n"
    "  --no-fix RULE       with --fix, leave what that rule finds; may be repeated\n"
    "  --notes             show what is only worth knowing, too\n"
    "  --json              everything, for programs: schema, files, bytes, findings[] {rule, severity, path, "
    "member, section,\n"
    "                      offset, reference, resolved, explanation, cure, fingerprint}, unseen[] {path, "
    "member, "
    "section, reason},\n"
    "                      capabilities[] {capability, code, use, entries, bytes} of device code that was "
    "opened\n"
    "  --sarif             the same as SARIF 2.1.0\n"
    "  --rules             every rule with its explanation and cure\n\n"
    "Exit code: 0 nothing found at that level, 1 something was, 2 not everything could be looked at, or "
    "nothing was\n"
    "there.\n\n"
    "An exception in FILE; rule, path and reference may be left out, * stays within a component, ** does "
    "not:\n"
    "  [[exception]]\n"
    "  rule = \"missing-library\"\n"
    "  path = \"lib/plugins/**\"\n"
    "  reference = \"libhost*\"\n"
    "  reason = \"the program that loads the plugins brings it\"\n";

} // namespace hostpin
