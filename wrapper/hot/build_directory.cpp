// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/build_directory.hpp"

#include "toolchains/base/checksum.hpp"
#include "toolchains/base/path_text.hpp"
#include "wrapper/hot/cache.hpp"
#include "wrapper/hot/caller.hpp"
#include "wrapper/hot/obtain.hpp"
#include "wrapper/hot/system.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hostpin::hot {

namespace {

constexpr std::string_view magic = "hostpin build 2";
constexpr std::size_t record_limit = 65536; // also of the files that CMake writes
constexpr std::size_t parts_of_record = 7;
constexpr std::time_t month = 30 * 24 * 3600; // younger ones stay: a file system may be unmounted
constexpr int most_looked_at = 64;            // records checked when one is stored

/// The parent directory; empty if there is none.
std::string_view parent(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos || path.size() == 1
             ? std::string_view()
             : path.substr(0, std::max<std::size_t>(slash, 1));
}

/// The value of `set(NAME "VALUE")` in a file that CMake wrote.
std::string_view value_set(std::string_view text, std::string_view name) {
  const std::string start = concat({"set(", name, " \""});
  const std::size_t at = text.find(start);
  if (at == std::string_view::npos)
    return {};
  text.remove_prefix(at + start.size());
  return text.substr(0, text.find('"'));
}

bool exists(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

std::string digits_of(std::string_view text) {
  const auto digits = hexadecimal(checksum(text));
  return {digits.data(), digits.size()};
}

/// A cache in a home that machines share can hold records of different directories with the same path.
std::string name_of_record(std::string_view build, const struct stat& status) {
  return digits_of(concat({std::to_string(status.st_ino), " ", build}));
}

/// Whether an nvcc that is neither hostpin's nor the record's has configured the directory since.
bool configured_by_another(const BuildRecord& record) {
  if (base_name(record.mark) != "CompilerIdCUDA")
    return false;
  const auto text =
      read_whole(concat({directory_of(record.mark), "/CMakeCUDACompiler.cmake"}), record_limit, false);
  const std::string nvcc = real_nvcc(std::string(value_set(text.value_or(""), "CMAKE_CUDA_COMPILER")));
  return !nvcc.empty() && (record.caller.empty() || !same_toolkit(nvcc, record.caller));
}

/// Whether a record is old and its directory no longer exists.
bool is_left_over(const std::string& file, std::time_t now) {
  struct stat status {};
  if (lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || now - status.st_mtime < month)
    return false;
  const auto bytes = read_whole(file, record_limit, true);
  const auto record = bytes ? read_build_record(*bytes) : std::nullopt;
  if (!record)
    return true;
  if (stat(record->build.c_str(), &status) != 0)
    return errno == ENOENT || errno == ENOTDIR;
  return name_of_record(record->build, status) != base_name(file);
}

/// Checks the records whose names have the same first digit as `stored`: a sixteenth of all.
void remove_left_over(const std::string& directory, std::string_view stored) {
  DIR* const entries = opendir(directory.c_str());
  if (entries == nullptr)
    return;
  const std::time_t now = std::time(nullptr);
  int looked_at = 0;
  while (const dirent* const entry = readdir(entries)) {
    if (entry->d_name[0] != stored.front() || looked_at == most_looked_at)
      continue;
    ++looked_at;
    if (const std::string file = concat({directory, "/", entry->d_name}); is_left_over(file, now))
      unlink(file.c_str());
  }
  closedir(entries);
}

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
      if (auto read = read_whole(concat({files, "/", entry->d_name, "/CMakeCUDACompiler.cmake"}),
                                 record_limit, false))
        text = *std::move(read);
  closedir(directory);
  return text;
}

bool is_program(std::string_view named, const std::string& program) {
  char real[PATH_MAX];
  return realpath(std::string(named).c_str(), real) != nullptr && program == real;
}

/// Others may write to the file with the release, and messages contain the release.
bool is_release(std::string_view text) {
  constexpr std::size_t longest = 20;
  return !text.empty() && text.size() <= longest &&
         text.find_first_not_of("0123456789.") == std::string_view::npos;
}

/// The CUDA release for which CMake configured a directory around this one, with this program as nvcc.
/// Without a record nothing else is known, and the release alone is not enough to decide by.
Configuration release_by_cmake(std::string_view here, const std::string& program, std::string& release) {
  for (std::string_view build = here; build.size() > 1; build = parent(build)) {
    const std::string text = cmake_compiler_file(std::string(build));
    if (text.empty())
      continue;
    const std::string_view stated = value_set(text, "CMAKE_CUDA_COMPILER_VERSION");
    if (is_release(stated) && is_program(value_set(text, "CMAKE_CUDA_COMPILER"), program))
      release = stated;
    return {std::string(build), {}};
  }
  return {};
}

int refuse(std::string_view build, std::string_view was, const std::string& is, std::string_view hostpin) {
  complain(concat({"the build directory ", build, " was configured with ", was,
                   ", which is no longer in the cache\n  the environment of this call selects ", is}),
           concat({"set the variables as they were, configure again (cmake --fresh), or bind: ",
                   bind_command(hostpin, {example_directory})}));
  return exit_refused;
}

/// The decision as text: `CUDA 12.4.131, GCC 13.3.0 (...) compiling, ... linking`.
std::string decision_text(const plan::Plan& plan) {
  return concat({"CUDA ", plan.toolkit, ", ", plan.host_label, " compiling, ", plan.link_label, " linking"});
}

} // namespace

std::string build_record_file(const std::string& cache, std::string_view build) {
  struct stat status {};
  if (stat(std::string(build).c_str(), &status) != 0)
    return {};
  return concat({cache, "/builds/", name_of_record(build, status)});
}

std::string write_build_record(const BuildRecord& record) {
  std::string text;
  for (const std::string_view part :
       {magic, std::string_view(record.build), std::string_view(record.mark), std::string_view(record.home),
        std::string_view(record.decision), std::string_view(record.device ? "device" : "host"),
        std::string_view(record.caller)})
    text.append(part).append(1, '\0');
  return text.append(digits_of(text));
}

std::optional<BuildRecord> read_build_record(std::string_view bytes) {
  constexpr std::size_t digits = 16;
  if (bytes.size() < digits ||
      digits_of(bytes.substr(0, bytes.size() - digits)) != bytes.substr(bytes.size() - digits))
    return std::nullopt;
  bytes.remove_suffix(digits);
  std::string parts[parts_of_record];
  for (std::string& part : parts) {
    const std::size_t end = bytes.find('\0');
    if (end == std::string_view::npos)
      return std::nullopt;
    part = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
  }
  if (parts[0] != magic || !bytes.empty())
    return std::nullopt;
  return BuildRecord{std::move(parts[1]), std::move(parts[2]),  std::move(parts[3]),
                     std::move(parts[4]), parts[5] == "device", std::move(parts[6])};
}

std::optional<BuildRecord> find_build_record(const std::string& cache, std::string_view current_directory,
                                             bool noted) {
  if (!exists(concat({cache, "/builds"})))
    return std::nullopt;
  for (std::string_view build = current_directory; build.size() > 1; build = parent(build)) {
    const std::string file = build_record_file(cache, build);
    const auto bytes = read_whole(file, record_limit, true);
    if (!bytes)
      continue;
    auto record = read_build_record(*bytes);
    if (!record && noted)
      note(concat({"the record of what ", build, " was configured with, ", file,
                   ", is damaged or from another hostpin release, and is ignored; configure again"}));
    if (record && record->build == build && exists(record->mark) && !configured_by_another(*record))
      return record;
  }
  return std::nullopt;
}

void store_build_record(const std::string& cache, const BuildRecord& record) {
  const std::string directory = concat({cache, "/builds"});
  const std::string file = build_record_file(cache, record.build);
  if (file.empty())
    return;
  replace_private(directory, file, write_build_record(record));
  remove_left_over(directory, base_name(file));
}

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
  if (!bytes ||
      !plan::read_plan(*bytes)) // missing, damaged, or written by another release: settle() compares
    return {nullptr, 0};
  self = {concat({record_->home, "/", self.name}), record_->home, self.name};
  return obtain_bound(self, envp);
}

int BuildDirectory::settle(const Loaded& decided) const {
  const plan::Plan& plan = decided.plan;
  const std::string text = decision_text(plan);
  BuildRecord next{{}, {}, std::string(plan.home), text, device_, caller_};
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
    const std::string_view same = own_host ? std::string_view(text).substr(0, text.find(',')) : text;
    if (!std::string_view(record_->decision).starts_with(same))
      return refuse(record_->build, record_->decision, text, plan.hostpin);
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
               : refuse(found.build, concat({"CUDA ", release}), text, plan.hostpin);
  }
  if (!next.home.empty() && !cache_.empty())
    store_build_record(cache_, next);
  return 0;
}

} // namespace hostpin::hot
