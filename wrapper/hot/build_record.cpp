// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/build_record.hpp"

#include "toolchains/base/checksum.hpp"
#include "toolchains/base/path_text.hpp"
#include "wrapper/hot/caller.hpp"
#include "wrapper/hot/system.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <ctime>
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hostpin::hot {

namespace {

constexpr std::string_view magic = "hostpin build 2";
constexpr std::size_t record_limit = 65536;
constexpr std::size_t parts_of_record = 7;
constexpr std::time_t month = 30 * 24 * 3600; // younger ones stay: a file system may be unmounted
constexpr int most_looked_at = 64;            // records checked when one is stored

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

} // namespace

std::string_view parent(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos || path.size() == 1
             ? std::string_view()
             : path.substr(0, std::max<std::size_t>(slash, 1));
}

std::string_view value_set(std::string_view text, std::string_view name) {
  const std::string start = concat({"set(", name, " \""});
  const std::size_t at = text.find(start);
  if (at == std::string_view::npos)
    return {};
  text.remove_prefix(at + start.size());
  return text.substr(0, text.find('"'));
}

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

} // namespace hostpin::hot
