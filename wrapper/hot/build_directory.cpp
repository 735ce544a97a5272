// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/build_directory.hpp"

#include "toolchains/base/path_text.hpp"
#include "wrapper/hot/advice.hpp"
#include "wrapper/hot/cache.hpp"
#include "wrapper/hot/key.hpp"
#include "wrapper/hot/system.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <dirent.h>
#include <unistd.h>

namespace hostpin::hot {

namespace {

constexpr std::size_t file_limit = 65536;
constexpr std::size_t plan_limit = std::size_t{1} << 20;

/// The name that autoconf's configure gives to the files it compiles.
bool is_conftest(std::string_view argument) {
  constexpr std::string_view names[] = {"conftest.cu",  "conftest.cpp", "conftest.cc",
                                        "conftest.cxx", "conftest.C",   "conftest.c"};
  return std::find(std::begin(names), std::end(names), argument) != std::end(names);
}

/// The file in which CMake stored the CUDA compiler of a build directory.
std::string cmake_compiler_file(const std::string& build) {
  const std::string files = concat({build, "/CMakeFiles"});
  DIR* const directory = opendir(files.c_str());
  if (directory == nullptr)
    return {};
  std::string text;
  while (const dirent* const entry = readdir(directory)) // one for each release of CMake, usually one
    if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
      if (auto read =
              read_whole(concat({files, "/", entry->d_name, "/CMakeCUDACompiler.cmake"}), file_limit, false))
        text = *std::move(read);
  closedir(directory);
  return text;
}

bool is_program(std::string_view named, const std::string& program) {
  char real[PATH_MAX];
  return realpath(std::string(named).c_str(), real) != nullptr && program == real;
}

/// The CUDA release for which CMake configured a directory around this one, with this program as nvcc.
/// Without a record nothing else is known, and the release alone is not enough to decide by.
Configuration release_by_cmake(std::string_view here, const std::string& program, std::string& release) {
  for (std::string_view build = here; build.size() > 1; build = parent(build)) {
    const std::string text = cmake_compiler_file(std::string(build));
    if (text.empty())
      continue;
    if (is_program(value_set(text, "CMAKE_CUDA_COMPILER"), program))
      release = value_set(text, "CMAKE_CUDA_COMPILER_VERSION");
    return {std::string(build), {}};
  }
  return {};
}

int refuse(std::string_view build, std::string_view was, const std::string& is, std::string_view hostpin) {
  complain(concat({"the build directory ", build, " was configured with ", was,
                   ", which is not stored any more\n  the environment of this call leads to ", is}),
           concat({"set the variables as they were, configure again (cmake --fresh), or bind: ",
                   bind_command(hostpin, {example_directory})}));
  return exit_refused;
}

} // namespace

std::optional<Configuration> configuration(std::string_view current_directory,
                                           std::span<const char* const> arguments) {
  // CMake: BUILD/CMakeFiles/3.25.1/CompilerIdCUDA. It runs `nvcc -v __cmake_determine_cuda` elsewhere.
  const std::string_view release = parent(current_directory);
  const std::string_view files = parent(release);
  if (base_name(current_directory).starts_with("CompilerId") && files.ends_with("/CMakeFiles"))
    return Configuration{std::string(parent(files)), std::string(current_directory)};
  if (current_directory.ends_with("/meson-private"))
    return Configuration{std::string(parent(current_directory)), std::string(current_directory)};
  for (const std::string_view argument : arguments) {
    if (argument == "__cmake_determine_cuda")
      return Configuration{};
    if (is_conftest(argument))
      return Configuration{std::string(current_directory), concat({current_directory, "/config.log"})};
  }
  return std::nullopt;
}

std::string decision_in_words(const Plan& plan) {
  return concat({"CUDA ", plan.toolkit, ", ", plan.host_label, " compiling, ", plan.link_label, " linking"});
}

BuildDirectory::BuildDirectory(const Self& self, std::span<const char* const> arguments, bool device,
                               char* const* envp, std::string_view caller)
    : program_(self.path), here_(current_directory()), configuration_(configuration(here_, arguments)),
      device_(device), caller_(caller) {
  const auto cache = cache_directory(envp);
  if (cache && unused_because(concat({*cache, "/builds"}), *cache).empty())
    cache_ = *cache;
  if (!cache_.empty())
    record_ = find_build_record(cache_, here_, !configuration_);
}

Obtained BuildDirectory::recorded(Self& self, char* const* envp) {
  // A bound directory that has lost its plan is refused by obtain_cached.
  if (configuration_ || !record_ || access(concat({self.directory, "/binding.toml"}).c_str(), F_OK) == 0)
    return {nullptr, 0};
  const auto bytes = read_whole(concat({record_->home, "/plan"}), plan_limit, true);
  if (!bytes || !read_plan(*bytes)) // missing, damaged, or written by another release: settle() compares
    return {nullptr, 0};
  self = {concat({record_->home, "/", self.name}), record_->home, self.name};
  return obtain_bound(self, envp);
}

int BuildDirectory::settle(const Loaded& decided) const {
  const Plan& plan = decided.plan;
  const std::string words = decision_in_words(plan);
  BuildRecord next{{}, {}, std::string(plan.home), words, device_, caller_};
  if (configuration_) {
    // An unbound c++ that is configured together with nvcc uses the toolkit that nvcc was configured with.
    if (configuration_->build.empty() ||
        (record_ && record_->device && !device_ && record_->build == configuration_->build))
      return 0;
    next.build = configuration_->build;
    next.mark = configuration_->mark;
  } else if (record_) {
    // A host compiler named on the call applies to that call only: the toolkit is what must not change.
    const bool own_host = plan.named || plan.untouched;
    const std::string_view same = own_host ? std::string_view(words).substr(0, words.find(',')) : words;
    if (!std::string_view(record_->decision).starts_with(same))
      return refuse(record_->build, record_->decision, words, plan.hostpin);
    if (own_host)
      return 0;
    next.build = record_->build;
    next.mark = record_->mark;
    next.caller = record_->caller;
  } else {
    std::string release;
    const Configuration found = release_by_cmake(here_, program_, release);
    return release.empty() || release == plan.toolkit
               ? 0
               : refuse(found.build, concat({"CUDA ", release}), words, plan.hostpin);
  }
  if (!next.home.empty() && !cache_.empty())
    store_build_record(cache_, next);
  return 0;
}

} // namespace hostpin::hot
