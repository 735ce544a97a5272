// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/toolkit/discovery.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/places.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace hostpin {

namespace {

// In the order of precedence of CMake and NVIDIA's own tools.
constexpr std::array root_variables{"CUDAToolkit_ROOT", "CUDA_HOME", "CUDA_PATH"};

// Where to search for toolkits that nothing names. pip installs them below the interpreter's packages.
constexpr auto places = std::to_array<Place>({
    {nullptr, "/usr/local/cuda", "/usr/local"},
    {nullptr, "/usr/local/cuda-*", "/usr/local"},
    {nullptr, "/opt/cuda", "/opt"},
    {nullptr, "/opt/cuda-*", "/opt"},
    {nullptr, "/usr/lib/nvidia-cuda-toolkit", "distribution package"},
    {"CONDA_PREFIX", "", "conda"},
    {"VIRTUAL_ENV", "lib/python3*/site-packages/nvidia/cu*", "pip"},
    {nullptr, "/opt/nvidia/hpc_sdk/*/*/cuda/*", "HPC SDK"},
});

bool is_program(const Files& files, const std::string& path) {
  const auto status = files.status(path);
  return status && status->kind == FileStatus::Kind::regular && status->executable;
}

bool is_directory(const Files& files, const std::string& path) {
  const auto status = files.status(path);
  return status && status->kind == FileStatus::Kind::directory;
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
    const std::string why = absence(files_, path + "/bin/nvcc");
    reject(path, origin, why == "does not exist" ? "has no bin/nvcc" : why);
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
      Inquiry::toolkit,
      true};
}

} // namespace

ToolkitSearch find_toolkits(const Files& files, const Environment& environment,
                            const std::optional<NamedToolkit>& named,
                            const std::vector<std::string>& configured, const IsOwn& is_own) {
  Search search(files, is_own);
  // Only a path on a command line may be relative: files and variables outlive the current
  // directory.
  if (named && (named->path.empty() || named->path.starts_with('/')))
    search.add_named(named->path, named->by);
  else if (named)
    search.add_named(files.real_path(".").value_or("") + '/' + named->path, named->by);
  for (const std::string& path : configured)
    search.add_named(path, "configuration");
  for (const char* variable : root_variables)
    if (const auto path = environment[variable])
      search.add_named(*path, std::string("$") + variable);
  for (const std::string& directory : path_directories(environment))
    search.add_found(directory, "PATH");
  for (const Place& place : places) {
    const Expansion expansion = expand(files, environment, place);
    for (const std::string& directory : expansion.looked)
      search.look(directory);
    for (const std::string& directory : expansion.directories)
      search.add_found(directory + "/bin", place.origin);
  }
  return search.take();
}

std::vector<ToolkitCandidate> distinct_candidates(const Files& files, const ToolkitSearch& search) {
  std::vector<ToolkitCandidate> result;
  std::set<std::string> places_seen;
  for (const ToolkitCandidate& candidate : search.candidates) {
    const std::string directory = directory_of(candidate.nvcc);
    std::string place = files.real_path(directory).value_or(directory);
    place.append("/").append(base_name(candidate.nvcc));
    if (places_seen.insert(std::move(place)).second)
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
  for (const ToolkitCandidate& candidate : candidates) {
    // An input that does not exist makes nvcc print its settings and stop, but only after it has queried some
    // host compiler, and there may be no plain `gcc` on PATH.
    Command dry = question({candidate.nvcc, "-v", "__hostpin_probe"});
    if (!preprocessor.empty())
      dry.argv.insert(dry.argv.end(), {"-ccbin", preprocessor});
    commands.push_back(std::move(dry));
  }
  const std::vector<Outcome> settings = processes.run(commands);

  ToolkitSurvey survey;
  survey.rejected = search.rejected;
  std::set<std::string> real;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const ToolkitCandidate& candidate = candidates[i];
    auto toolkit = read_toolkit(files, candidate, versions[i], settings[i]);
    if (!toolkit)
      survey.rejected.push_back({candidate.nvcc, candidate.origin, toolkit.error().message});
    else if (real.insert(files.real_path(toolkit->nvcc).value_or(toolkit->nvcc)).second)
      survey.toolkits.push_back(std::move(*toolkit));
  }
  return survey;
}

Result<Toolkit> chosen_toolkit(const ToolkitSurvey& survey, const std::optional<NamedToolkit>& named) {
  const bool usable = !survey.toolkits.empty() && (!named || survey.toolkits.front().origin == named->by);
  if (usable)
    return survey.toolkits.front();
  std::string message = "no CUDA toolkit was found";
  if (named)
    message = named->by + (named->path.empty()
                               ? std::string(" names nothing")
                               : " names '" + named->path + "', which is not a usable CUDA toolkit");
  for (const ToolkitRejection& rejection : survey.rejected)
    if (!named || rejection.origin == named->by)
      message += "\n  " + rejection.path + " (" + rejection.origin + ") " + rejection.reason;
  return failure(std::move(message),
                 "name a toolkit's directory with --toolkit or CUDA_HOME, or put its nvcc on PATH");
}

} // namespace hostpin
