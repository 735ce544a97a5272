// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/cache.hpp"

#include "toolchains/base/ancestors.hpp"
#include "toolchains/base/cache_place.hpp"
#include "toolchains/base/checksum.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/cmdline/driver_variables.hpp"
#include "wrapper/hot/system.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <vector>

namespace hostpin::hot {

namespace {

bool is_writable_by_others(const struct stat& status) {
  return (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

bool is_trusted(const struct stat& status) {
  return status.st_uid == geteuid() || status.st_uid == 0;
}

bool is_private(const std::string& directory) {
  struct stat status {};
  return stat(directory.c_str(), &status) != 0 || (is_trusted(status) && !is_writable_by_others(status));
}

/// Whether no other user can rename or remove this user's files in a directory, or exchange the directory.
bool keeps_entries(const std::string& directory) {
  struct stat status {};
  return stat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && is_trusted(status) &&
         (!is_writable_by_others(status) || (status.st_mode & S_ISVTX) != 0) &&
         exchangeable_by_others(directory).empty();
}

bool runs_programs(const std::string& directory) {
  struct statvfs status {};
  return statvfs(directory.c_str(), &status) == 0 && (status.f_flag & ST_NOEXEC) == 0;
}

// toolchains/cmdline has the variables that drivers read.
constexpr std::string_view variables[] = {
    // read by hostpin
    "PATH", "HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "HOSTPIN_CONFIG", "HOSTPIN_TOOLKIT",
    "HOSTPIN_STDENV", "HOSTPIN_HOST", "CXX",
    // and by discovery
    "CUDAToolkit_ROOT", "CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX", "VIRTUAL_ENV"};

/// `NAME=value` of all variables that compiler drivers and their wrappers read, sorted: the environment has
/// them in any order.
std::vector<std::string_view> read_by_drivers(const char* const* envp) {
  std::vector<std::string_view> found;
  for (; *envp != nullptr; ++envp) {
    const std::string_view variable(*envp);
    if (cmdline::is_read_by_drivers(variable.substr(0, variable.find('='))))
      found.push_back(variable);
  }
  std::sort(found.begin(), found.end());
  return found;
}

constexpr std::uint64_t first_seed = 0x686F7374;
constexpr std::uint64_t second_seed = 0x70696E00;

} // namespace

bool is_own_directory(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
         (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

std::string unused_because(const std::string& directory, const std::string& cache) {
  for (const std::string& each : {cache, directory})
    if (!is_private(each))
      return concat({"the cache directory ", each,
                     " is not used: it belongs to another user, or others may write to it"});
  // nvcc runs the programs in it by path, after this check
  if (const std::string above = exchangeable_by_others(cache); !above.empty())
    return concat({"the cache directory ", cache, " is not used: ", above,
                   ", above it, belongs to another user, or others may write to it"});
  return {};
}

std::array<std::string, 2> temporary_directories(const char* const* envp) {
  const auto runtime = variable(envp, "XDG_RUNTIME_DIR");
  const auto temporary = variable(envp, "TMPDIR");
  return {runtime ? concat({*runtime, "/hostpin"}) : std::string(),
          concat({temporary.value_or("/tmp"), "/hostpin-", std::to_string(geteuid())})};
}

std::string temporary_cache(const char* const* envp, bool programs) {
  for (const std::string& directory : temporary_directories(envp)) {
    struct stat status {};
    if (directory.starts_with('/') && keeps_entries(directory_of(directory)) &&
        (is_own_directory(directory) || (lstat(directory.c_str(), &status) != 0 && errno == ENOENT &&
                                         access(directory_of(directory).c_str(), W_OK) == 0)) &&
        (!programs || runs_programs(directory_of(directory))))
      return directory;
  }
  return {};
}

std::string cache_key(const char* const* envp, std::string_view installation, std::string_view base,
                      const Naming& naming, std::string_view current_directory) {
  std::string all;
  all.reserve(4096);
  const auto add = [&all](std::string_view part) { all.append(part).append(1, '\0'); };
  add(installation);
  add(base);
  add(naming.value);
  add(naming.by);
  add(naming.allow_unsupported ? "unsupported" : "");
  add(naming.caller);
  add(current_directory);
  for (const std::string_view name : variables) {
    const auto value = variable(envp, name);
    add(value ? *value : std::string_view("\1", 1)); // unset differs from any value a user would write
  }
  for (const std::string_view each : read_by_drivers(envp))
    add(each);
  std::string key;
  for (const std::uint64_t seed : {first_seed, second_seed}) {
    const auto digits = hexadecimal(checksum(all, seed));
    key.append(digits.data(), digits.size());
  }
  return key;
}

std::optional<std::string> cache_directory(const char* const* envp) {
  return hostpin::cache_directory(
      {variable(envp, "HOSTPIN_CACHE_DIR"), variable(envp, "XDG_CACHE_HOME"), variable(envp, "HOME")});
}

std::string no_cache_because(const char* const* envp) {
  const auto home = variable(envp, "HOME");
  if (home && home->front() == '/' && !variable(envp, "HOSTPIN_CACHE_DIR"))
    return concat({"HOME is ", *home, ", which does not exist"});
  return "none of HOSTPIN_CACHE_DIR, XDG_CACHE_HOME and HOME is an absolute path";
}

} // namespace hostpin::hot
