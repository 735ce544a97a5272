// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/toolkit/toolkit.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/toolkit/wheels.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

// In the order of precedence of CMake and NVIDIA's own tools.
constexpr std::array root_variables{"CUDAToolkit_ROOT", "CUDA_HOME", "CUDA_PATH"};

// Where to search for toolkits that nothing names. pip installs them below the interpreter's packages.
constexpr auto patterns = std::to_array<SearchPattern>({
    {nullptr, "/usr/local/cuda", "/usr/local"},
    {nullptr, "/usr/local/cuda-*", "/usr/local"},
    {nullptr, "/opt/cuda", "/opt"},
    {nullptr, "/opt/cuda-*", "/opt"},
    {nullptr, "/usr/lib/nvidia-cuda-toolkit", "distribution package"},
    {"CONDA_PREFIX", "", "conda"},
    {"VIRTUAL_ENV", "lib/python3*/site-packages/nvidia/cu*", "pip"},
    {"CONDA_PREFIX", "lib/python3*/site-packages/nvidia/cu*", "pip"},
    {"HOME", ".local/lib/python3*/site-packages/nvidia/cu*", "pip"},
    {nullptr, "/usr/local/lib/python3*/dist-packages/nvidia/cu*", "pip"},
    {nullptr, "/opt/nvidia/hpc_sdk/*/*/cuda/*", "HPC SDK"},
});

bool is_program(const Files& files, const std::string& path) {
  const auto status = files.status(path);
  return status && status->kind == FileStatus::Kind::regular && status->executable;
}

class Search {
public:
  Search(const Files& files, const IsOwn& is_own) : files_(files), is_own_(is_own) {}

  /// A directory or nvcc that the user named: what is wrong with it is reported.
  void add_named(std::string path, const std::string& origin) {
    if (path.empty())
      return reject("''", origin, "is an empty name");
    if (!path.starts_with('/'))
      return reject(path, origin, "is not an absolute path");
    while (path.size() > 1 && path.back() == '/')
      path.pop_back();
    if (!files_.status(path))
      return reject(path, origin, absence(files_, path));
    if (!is_directory(files_, path))
      return is_program(files_, path) ? add(path, origin) : reject(path, origin, "is not an executable file");
    look(path + "/bin");
    for (const char* name : {"/bin/nvcc", "/nvcc"})
      if (is_program(files_, path + name))
        return add(path + name, origin);
    if (files_.status(path + "/bin/nvcc.exe"))
      return reject(path, origin,
                    "is a toolkit for Windows, where alone its nvcc runs, with Microsoft's cl.exe");
    const std::string why = absence(files_, path + "/bin/nvcc");
    if (why != "does not exist")
      return reject(path, origin, why);
    std::string wheels = wheels_without_nvcc(path, files_);
    reject(path, origin, wheels.empty() ? "has no bin/nvcc" : std::move(wheels));
  }

  /// A directory that may have an nvcc; the user did not name it, so its absence is not reported.
  void add_found(const std::string& directory, const std::string& origin) {
    look(directory);
    const std::string nvcc = directory + "/nvcc";
    if (is_program(files_, nvcc) && !real_nvcc(nvcc).empty())
      add(nvcc, origin);
  }

  void look(const std::string& directory) {
    if (std::find(result_.looked.begin(), result_.looked.end(), directory) == result_.looked.end())
      result_.looked.push_back(directory);
  }

  ToolkitSearch take() { return std::move(result_); }

private:
  void add(const std::string& nvcc, const std::string& origin) {
    const std::string real = real_nvcc(nvcc);
    if (real.empty())
      return reject(nvcc, origin, "is hostpin's own nvcc");
    if (seen_.insert(real).second)
      result_.candidates.push_back({callable(real), origin});
  }

  /// `nvcc` itself; for hostpin's nvcc in a tree that looks like a toolkit (a toolkit view, `cuda` in a bound
  /// directory), the real one, to whose directory that tree has a link; empty if there is none.
  std::string real_nvcc(const std::string& nvcc) const {
    if (!is_own_(nvcc))
      return nvcc;
    for (const std::string& link : {directory_of(directory_of(nvcc)) + "/hostpin/toolkit",
                                    directory_of(files_.real_path(nvcc).value_or(nvcc)) + "/toolkit"})
      if (const auto bin = files_.real_path(link); bin && is_program(files_, *bin + "/nvcc"))
        return *bin + "/nvcc";
    return {};
  }

  void reject(const std::string& path, const std::string& origin, std::string reason) {
    result_.rejected.push_back({path, origin, std::move(reason)});
  }

  /// nvcc looks for its parts next to the path it is called by, without resolving symlinks. So a link into a
  /// toolkit is resolved here, unless it is part of a whole tree of links, which has its own nvcc.profile.
  std::string callable(const std::string& nvcc) const {
    const std::string profile = nvcc.substr(0, nvcc.rfind('/')) + "/nvcc.profile";
    return files_.status(profile) ? nvcc : files_.real_path(nvcc).value_or(nvcc);
  }

  const Files& files_;
  const IsOwn& is_own_;
  ToolkitSearch result_;
  std::set<std::string> seen_;
};

/// A query to an nvcc. An nvcc that is killed leaves files in TMPDIR.
Command question(std::vector<std::string> argv) {
  // nvcc appends these variables to its own settings; a nested nvcc inherits them from the outer one.
  return {
      std::move(argv),
      "",
      {"INCLUDES", "SYSTEM_INCLUDES", "LIBRARIES", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN"},
      {},
      true};
}

} // namespace

Command settings_command(const std::string& nvcc, const std::string& preprocessor) {
  Command dry = question({nvcc, "-v", "__hostpin_probe"});
  if (!preprocessor.empty())
    dry.argv.insert(dry.argv.end(), {"-ccbin", preprocessor});
  return dry;
}

NamedToolkit named_toolkit(const Files& files, const std::string& name, const std::string& by) {
  const bool is_release = name.find_first_not_of("0123456789.") == std::string::npos && parse_version(name) &&
                          !files.status(files.real_path(".").value_or("") + '/' + name);
  return {name, by, is_release};
}

ToolkitSearch find_toolkits(const Files& files, const Environment& environment,
                            const std::optional<NamedToolkit>& named,
                            const std::vector<std::string>& configured, const IsOwn& is_own) {
  Search search(files, is_own);
  // Only a path on a command line may be relative: files and variables outlive the current
  // directory.
  const bool is_path = named && !named->is_release;
  if (is_path && (named->path.empty() || named->path.starts_with('/')))
    search.add_named(named->path, named->by);
  else if (is_path)
    search.add_named(files.real_path(".").value_or("") + '/' + named->path, named->by);
  for (const std::string& path : configured)
    search.add_named(path, "configuration");
  for (const char* variable : root_variables)
    if (const auto path = environment[variable])
      search.add_named(*path, std::string("$") + variable);
  for (const std::string& directory : path_directories(environment))
    search.add_found(directory, "PATH");
  for (const SearchPattern& pattern : patterns) {
    const Expansion expansion = expand(files, environment, pattern);
    for (const std::string& directory : expansion.looked)
      search.look(directory);
    for (const std::string& directory : expansion.directories)
      search.add_found(directory + "/bin", pattern.origin);
  }
  return search.take();
}

std::vector<ToolkitCandidate> distinct_candidates(const Files& files, const ToolkitSearch& search) {
  std::vector<ToolkitCandidate> result;
  std::set<std::string> seen;
  for (const ToolkitCandidate& candidate : search.candidates) {
    const std::string directory = directory_of(candidate.nvcc);
    std::string path = files.real_path(directory).value_or(directory);
    path.append("/").append(base_name(candidate.nvcc));
    if (seen.insert(std::move(path)).second)
      result.push_back(candidate);
  }
  return result;
}

std::vector<Command> version_commands(std::span<const ToolkitCandidate> candidates) {
  std::vector<Command> commands;
  for (const ToolkitCandidate& candidate : candidates)
    commands.push_back(question({candidate.nvcc, "--version"}));
  return commands;
}

ToolkitSurvey probe_toolkits(const Files& files, const Processes& processes, const ToolkitSearch& search,
                             const std::string& preprocessor) {
  const std::vector<Outcome> versions = processes.run(version_commands(distinct_candidates(files, search)));
  return probe_toolkits(files, processes, search, versions, preprocessor);
}

ToolkitSurvey probe_toolkits(const Files& files, const Processes& processes, const ToolkitSearch& search,
                             std::span<const Outcome> versions, const std::string& preprocessor) {
  const std::vector<ToolkitCandidate> candidates = distinct_candidates(files, search);
  std::vector<Command> commands;
  for (const ToolkitCandidate& candidate : candidates)
    commands.push_back(settings_command(candidate.nvcc, preprocessor));
  const std::vector<Outcome> settings = processes.run(commands);

  ToolkitSurvey survey;
  survey.rejected = search.rejected;
  std::set<std::string> real;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const ToolkitCandidate& candidate = candidates[i];
    auto toolkit = read_toolkit(files, candidate, versions[i], settings[i]);
    if (!toolkit)
      survey.rejected.push_back(
          {candidate.nvcc, candidate.origin, toolkit.error().message, toolkit.error().kind});
    else if (real.insert(files.real_path(toolkit->nvcc).value_or(toolkit->nvcc)).second)
      survey.toolkits.push_back(std::move(*toolkit));
  }
  return survey;
}

std::vector<std::string> ignored_variables(const ToolkitSurvey& survey, const Toolkit& chosen) {
  std::vector<std::string> texts;
  // What was named outranks every variable, and so does the configuration.
  const bool found = chosen.origin == "PATH" || std::ranges::any_of(patterns, [&](const SearchPattern& each) {
                       return chosen.origin == each.origin;
                     });
  for (const char* variable : root_variables) {
    const std::string origin = std::string("$") + variable;
    if (chosen.origin == origin)
      return texts;
    for (const ToolkitRejection& rejection : survey.rejected)
      if (rejection.origin == origin)
        texts.push_back(origin + " is ignored: " + rejection.path + ' ' + rejection.reason + "; CUDA " +
                        to_string(chosen.version) + " is used instead, found by " + chosen.origin + ": " +
                        chosen.root);
  }
  return found ? texts : std::vector<std::string>();
}

namespace {

Result<Toolkit> toolkit_of_release(const ToolkitSurvey& survey, const NamedToolkit& named) {
  std::string found;
  for (const Toolkit& toolkit : survey.toolkits) {
    const std::string version = to_string(toolkit.version);
    if (version == named.path || version.starts_with(named.path + '.')) {
      Toolkit chosen = toolkit;
      chosen.origin = named.by;
      return chosen;
    }
    found += "\n  CUDA " + version + "  " + toolkit.root + " (" + toolkit.origin + ')';
  }
  return failure(named.by + " names CUDA " + named.path + ", which was not found" +
                     (found.empty() ? "; neither was another CUDA toolkit" : "; found:" + found),
                 "name one of those that are found, or a toolkit's directory");
}

} // namespace

Result<Toolkit> chosen_toolkit(const ToolkitSurvey& survey, const std::optional<NamedToolkit>& named) {
  if (named && named->is_release)
    return toolkit_of_release(survey, *named);
  const bool usable = !survey.toolkits.empty() && (!named || survey.toolkits.front().origin == named->by);
  if (usable)
    return survey.toolkits.front();
  std::string message = "no CUDA toolkit was found";
  if (named)
    message = named->by + (named->path.empty()
                               ? std::string(" is empty")
                               : " names '" + named->path + "', which is not a usable CUDA toolkit");
  ErrorKind kind = ErrorKind::other;
  for (const ToolkitRejection& rejection : survey.rejected)
    if (!named || rejection.origin == named->by) {
      message += "\n  " + rejection.path + " (" + rejection.origin + ") " + rejection.reason;
      if (rejection.kind == ErrorKind::no_answer)
        kind = rejection.kind;
    }
  return failure(std::move(message),
                 "name a toolkit's directory with --toolkit or CUDA_HOME, or put its nvcc on PATH", kind);
}

namespace {

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string setting(const NvccSettings& settings, std::string_view name) {
  const auto found = settings.find(name);
  return found == settings.end() ? std::string() : found->second;
}

/// `Cuda compilation tools, release 12.4, V12.4.131`
std::optional<Version> release(std::string_view output) {
  constexpr std::string_view marker = ", V";
  while (!output.empty()) {
    const std::string_view line = next_line(output);
    const std::size_t at = line.find(marker);
    if (line.find("release ") != std::string_view::npos && at != std::string_view::npos)
      return parse_version(trimmed(line.substr(at + marker.size())));
  }
  return std::nullopt;
}

/// Replaces `$(NAME)` by the settings that nvcc printed.
std::string expanded(std::string_view text, const NvccSettings& settings) {
  std::string result;
  while (!text.empty()) {
    const std::size_t begin = text.find("$(");
    const std::size_t end = begin == std::string_view::npos ? begin : text.find(')', begin);
    if (end == std::string_view::npos)
      return result.append(text);
    result.append(text.substr(0, begin));
    result += setting(settings, text.substr(begin + 2, end - begin - 2));
    text.remove_prefix(end + 1);
  }
  return result;
}

/// The error message of nvcc or of the compiler that it ran. The one about the missing input is expected and
/// skipped.
std::string complaint(std::string_view text) {
  constexpr std::size_t longest = 200;
  while (!text.empty()) {
    const std::string_view line = trimmed(next_line(text));
    const auto has = [&](std::string_view word) { return line.find(word) != std::string_view::npos; };
    if (!line.starts_with("#$") && (has("error") || has("fatal")) && !has("__hostpin_probe"))
      return ": " + std::string(line.substr(0, longest));
  }
  return {};
}

/// The compiler-bindir that nvcc.profile sets, as Nixpkgs does. nvcc does not print it among its settings.
std::string profile_host(const Files& files, const std::string& profile, const NvccSettings& settings) {
  constexpr std::size_t longest = std::size_t{1} << 20;
  const auto content = files.read(profile, longest);
  std::string_view text = content ? std::string_view(*content) : std::string_view();
  std::string host;
  while (!text.empty()) {
    const std::string_view line = trimmed(next_line(text));
    const std::size_t equals = line.find('=');
    if (line.starts_with('#') || equals == std::string_view::npos)
      continue;
    const std::size_t end = std::min(line.find_first_of(" \t?+="), equals);
    if (line.substr(0, end) != "compiler-bindir")
      continue;
    host = expanded(trimmed(line.substr(equals + 1)), settings);
    std::erase(host, '"');
  }
  return host;
}

} // namespace

NvccSettings nvcc_settings(std::string_view errors) {
  constexpr std::string_view marker = "#$ ";
  NvccSettings settings;
  while (!errors.empty()) {
    const std::string_view line = next_line(errors);
    const std::size_t equals = line.find('=');
    if (line.starts_with(marker) && equals != std::string_view::npos)
      settings[std::string(line.substr(marker.size(), equals - marker.size()))] =
          trimmed(line.substr(equals + 1));
  }
  return settings;
}

std::vector<std::string> directories_of_flags(std::string_view flags) {
  std::vector<std::string> words;
  bool in_word = false;
  bool quoted = false;
  for (const char c : flags) {
    if (!quoted && c == ' ') {
      in_word = false;
      continue;
    }
    if (!in_word)
      words.emplace_back();
    in_word = true;
    if (c == '"')
      quoted = !quoted;
    else
      words.back() += c;
  }
  std::vector<std::string> directories;
  for (const std::string& word : words) {
    const std::string_view path = word.starts_with("-I") || word.starts_with("-L")
                                      ? std::string_view(word).substr(2)
                                      : std::string_view(word);
    if (path.starts_with('/'))
      directories.emplace_back(path);
  }
  return directories;
}

bool take_include_path(Toolkit& toolkit, const NvccSettings& settings, const Files& files) {
  toolkit.include_directories.clear();
  toolkit.host_config.clear();
  for (const char* name : {"INCLUDES", "SYSTEM_INCLUDES"})
    for (const std::string& directory : directories_of_flags(setting(settings, name)))
      toolkit.include_directories.push_back(files.real_path(directory).value_or(directory));
  // nvcc names no directory if the headers are in the compiler's own /usr/include.
  std::vector<std::string> searched = toolkit.include_directories;
  searched.insert(searched.end(), {toolkit.root + "/include", "/usr/include"});
  for (const std::string& directory : searched) {
    const std::string header = directory + "/crt/host_config.h";
    if (files.status(header)) {
      toolkit.host_config = header;
      break;
    }
  }
  return !toolkit.host_config.empty();
}

Result<Toolkit> read_toolkit(const Files& files, const ToolkitCandidate& candidate, const Outcome& version,
                             const Outcome& verbose) {
  if (!version.ok())
    return failure("did not report its version: " + describe(version), {}, kind_of(version));
  const auto number = release(version.output);
  if (!number)
    return failure("did not report its version");
  // The dry call always fails because it has no input; only what it printed before matters.
  const NvccSettings settings = nvcc_settings(verbose.errors);
  const std::string here = setting(settings, "_HERE_");
  if (!here.starts_with('/'))
    return failure("did not report where it is installed: " + describe(verbose) + complaint(verbose.errors),
                   {}, kind_of(verbose));

  Toolkit toolkit;
  toolkit.version = *number;
  toolkit.origin = candidate.origin;
  toolkit.nvcc = here + "/nvcc";
  const auto status = files.status(toolkit.nvcc);
  if (!status || status->kind != FileStatus::Kind::regular || !status->executable)
    return failure("reports its path as " + toolkit.nvcc + ", which is not an executable file");
  // Debian's profile has no TOP, because its toolkit is spread over /usr.
  const std::string top = settings.contains("TOP") ? setting(settings, "TOP") : here + "/..";
  toolkit.root = files.real_path(top).value_or(top);

  if (!take_include_path(toolkit, settings, files))
    return failure(lack_of_wheels(toolkit.root, toolkit.version, files)
                       .value_or("is incomplete: crt/host_config.h is in none of its include directories"));

  if (const auto lacking = lack_of_wheels(toolkit.root, toolkit.version, files))
    return failure(*lacking);

  const std::string profile = here + "/nvcc.profile";
  toolkit.profile_host = profile_host(files, profile, settings);
  for (const std::string& path : {candidate.nvcc, toolkit.nvcc, profile, toolkit.host_config})
    if (files.status(path) &&
        std::find(toolkit.files.begin(), toolkit.files.end(), path) == toolkit.files.end())
      toolkit.files.push_back(path);
  return toolkit;
}

} // namespace hostpin
