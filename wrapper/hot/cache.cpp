// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/cache.hpp"

#include "toolchains/base/path_text.hpp"
#include "wrapper/hot/system.hpp"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

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

/// Whether no other user can rename or remove this user's files in a directory.
bool keeps_entries(const std::string& directory) {
  struct stat status {};
  return stat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && is_trusted(status) &&
         (!is_writable_by_others(status) || (status.st_mode & S_ISVTX) != 0);
}

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
  return {};
}

std::string temporary_cache(const char* const* envp) {
  const auto runtime = variable(envp, "XDG_RUNTIME_DIR");
  const auto temporary = variable(envp, "TMPDIR");
  const std::string choices[] = {
      runtime ? concat({*runtime, "/hostpin"}) : std::string(),
      concat({temporary.value_or("/tmp"), "/hostpin-", std::to_string(geteuid())})};
  for (const std::string& directory : choices) {
    struct stat status {};
    if (directory.starts_with('/') && keeps_entries(directory_of(directory)) &&
        (is_own_directory(directory) || (lstat(directory.c_str(), &status) != 0 && errno == ENOENT &&
                                         access(directory_of(directory).c_str(), W_OK) == 0)))
      return directory;
  }
  return {};
}

} // namespace hostpin::hot
