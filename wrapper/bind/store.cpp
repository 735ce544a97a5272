// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/store.hpp"

#include "toolchains/base/ancestors.hpp"
#include "toolchains/base/checksum.hpp"
#include "toolchains/base/file_lock.hpp"
#include "toolchains/base/os_error.hpp"
#include "toolchains/base/reading.hpp"
#include "toolchains/base/system_call.hpp"
#include "wrapper/plan/plan.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <limits>
#include <random>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace hostpin::bind {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view marker = "binding.toml"; // in every directory that bind made

// File times must not be in the future, and every file system can represent 2000 to 2016.
constexpr std::uint64_t year_2000 = 946'684'800;
constexpr std::uint64_t sixteen_years = 504'921'600;
constexpr std::uint64_t second_in_ns = 1'000'000'000;
// Where all times are the same (Nix, reproducible archives), only the size distinguishes bindings.
constexpr std::size_t longest_padding = 65536;

Result<std::string> read_driver(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0)
    return os_failure("read " + path, errno, "reinstall hostpin: its libexec directory is incomplete");
  auto content = read_all(file.number(), std::numeric_limits<std::size_t>::max());
  if (!content)
    return os_failure("read " + path);
  struct stat status {};
  const bool known = fstat(file.number(), &status) == 0;
  // A partly written program must not be bound: an installation may be overwriting it.
  if (!known || static_cast<std::size_t>(status.st_size) != content->size())
    return failure(fmt::format("cannot read {}: it changed while it was read", path), "try again");
  return *std::move(content);
}

/// Whether `path` is a regular file with this content, without other links to it.
bool same_content(const std::string& path, std::string_view content) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    return false;
  const auto existing = read_driver(path);
  return existing && *existing == content;
}

/// A copy without times, or a bind that was killed, left another one. Only cache hits depend on it.
void set_time(const std::string& path, std::int64_t modified) {
  constexpr std::int64_t second = second_in_ns;
  const timespec time{modified / second, modified % second};
  const timespec times[] = {time, time};
  struct stat present {};
  if (stat(path.c_str(), &present) == 0 &&
      (present.st_mtim.tv_sec != time.tv_sec || present.st_mtim.tv_nsec != time.tv_nsec))
    static_cast<void>(utimensat(AT_FDCWD, path.c_str(), times, 0));
}

/// The executable under both names. A running executable must not be written to, so it is replaced, and only
/// if it differs: a refresh does not touch programs that are being executed.
Result<void> put_driver(const std::string& directory, const Stamped& driver) {
  for (const char* const name : {"c++", "nvcc"}) {
    const std::string path = directory + '/' + name;
    if (same_content(path, driver.content))
      set_time(path, driver.modified);
    else if (auto written = replace_file(path, driver.content, true, driver.modified); !written)
      return written;
  }
  return {};
}

/// A file with this content that nobody else may write is not touched: build systems compare times.
Result<void> put_text(const std::string& path, std::string_view content) {
  struct stat status {};
  const bool is_safe = lstat(path.c_str(), &status) == 0 && status.st_uid == geteuid() &&
                       (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  return is_safe && same_content(path, content) ? Result<void>() : replace_file(path, content, false);
}

Result<void> write_texts(const std::string& directory, const Bundle& bundle) {
  // The plan contains the digest of the record, so between the two writes no call uses the wrong one.
  const std::string record = directory + "/identity";
  if (bundle.identity.empty())
    unlink(record.c_str());
  else if (auto written = put_text(record, bundle.identity); !written)
    return written;
  const std::pair<const char*, const std::string&> files[] = {{"toolchain.cmake", bundle.toolchain_cmake},
                                                              {"binding.toml", bundle.binding_toml},
                                                              {"plan", bundle.plan}};
  for (const auto& [name, content] : files)
    TRY(put_text(directory + '/' + name, content));
  return {};
}

/// Whether calls that find `driver` there would use the plan of another decision.
bool follows_another(const std::string& directory, const std::string& executable, const Stamped& driver) {
  const auto plan = read_driver(directory + "/plan");
  return plan && plan::read_plan(*plan) && stamped(executable, *plan).content != driver.content;
}

/// A compiler stamp that no cache has seen before, or will see again.
Stamped stamped_for_once(std::string executable) {
  std::random_device random;
  return stamped(std::move(executable), fmt::format("between two plans {:08x}{:08x}", random(), random()));
}

/// If this ends midway, killed or out of space, the driver of one decision must not be next to the plan of
/// another: a cache would store its output, and return it once the right plan is there.
Result<void> fill(const std::string& directory, const Bundle& bundle) {
  TRY_ASSIGN(const auto executable, read_driver(bundle.driver));
  TRY(bundle.more ? bundle.more(directory) : Result<void>());
  const Stamped driver = stamped(executable, bundle.plan);
  const bool passing = follows_another(directory, executable, driver);
  TRY(put_driver(directory, passing ? stamped_for_once(executable) : driver));
  if (auto written = write_texts(directory, bundle); !written || !passing)
    return written;
  return put_driver(directory, driver);
}

Result<void> create_whole(const std::string& directory, const Bundle& bundle) {
  std::error_code error;
  const fs::path parent = fs::path(directory).parent_path();
  if (!parent.empty())
    fs::create_directories(parent, error);
  std::string draft = directory + ".XXXXXX";
  if (error || mkdtemp(draft.data()) == nullptr)
    return os_failure("create " + directory, error ? error.value() : errno);
  chmod(draft.c_str(), 0755);
  Result<void> done = fill(draft, bundle);
  if (done && rename(draft.c_str(), directory.c_str()) != 0)
    done = os_failure("create " + directory);
  if (!done)
    fs::remove_all(draft, error);
  return done;
}

constexpr const char* another_directory = "name another directory";

bool leads_to(const std::string& path, const struct stat& status) {
  struct stat now {};
  return stat(path.c_str(), &now) == 0 && now.st_dev == status.st_dev && now.st_ino == status.st_ino;
}

} // namespace

Result<void> nobody_else_writes_to(const std::string& directory) {
  const Descriptor opened(open(directory.c_str(), O_PATH | O_CLOEXEC));
  if (opened.number() < 0 && errno != ENOENT && errno != ENOTDIR)
    return os_failure("examine " + directory, errno, another_directory);
  return nobody_else_writes_to(opened.number(), directory);
}

Result<void> nobody_else_writes_to(int descriptor, const std::string& directory) {
  struct stat status {};
  const bool is_there = descriptor >= 0;
  if (is_there && fstat(descriptor, &status) != 0)
    return os_failure("examine " + directory, errno, another_directory);
  std::error_code error;
  if (const std::string link = link_of_another(fs::absolute(directory, error).string()); !link.empty())
    return failure(fmt::format("{} is a link of another user, who could replace the programs in {}; nothing "
                               "was written",
                               link, directory),
                   "name the directory that it leads to");
  if (!is_there || !S_ISDIR(status.st_mode))
    return {};
  if (!leads_to(directory, status))
    return failure(fmt::format("{} was exchanged for another file while it was in use", directory),
                   "name a directory below one that only you can write to");
  const bool foreign = status.st_uid != geteuid() && status.st_uid != 0;
  // Also where only its owner renames a file: others can add some.
  if (foreign || (status.st_mode & S_IWOTH) != 0)
    return failure(fmt::format("{} {}, who could replace its programs; nothing was written", directory,
                               foreign ? "belongs to another user" : "is writable by all users"),
                   "name a new directory, or change its owner or mode: chown, chmod o-w");
  return {};
}

Result<void> write_bound_directory(const std::string& directory, const Bundle& bundle) {
  TRY(nobody_else_writes_to(directory));
  std::error_code error;
  const auto kind = fs::status(directory, error).type();
  if (kind == fs::file_type::none)
    return os_failure("examine " + directory, error.value());
  if (kind == fs::file_type::not_found) {
    auto created = create_whole(directory, bundle);
    // If another bind was faster, this one counts as the second of two.
    if (created || !fs::exists(directory + '/' + std::string(marker), error))
      return created;
  } else if (kind != fs::file_type::directory)
    return failure(fmt::format("{} exists and is not a directory", directory),
                   "name a new or an empty directory");
  const bool is_binding =
      fs::exists(directory + '/' + std::string(marker), error) || fs::is_empty(directory, error);
  if (error)
    return os_failure("read " + directory, error.value());
  if (!is_binding)
    return failure(fmt::format("{} holds files that are not a binding; nothing was written", directory),
                   "name a new or an empty directory");
  const FileLock lock =
      FileLock::of_directory(directory); // two binds of one directory must not mix their files
  return fill(directory, bundle);
}

Result<void> fill_bound_directory(const std::string& directory, const Bundle& bundle) {
  return fill(directory, bundle);
}

Result<void> write_cached_directory(const std::string& directory, const Bundle& bundle) {
  TRY(make_private_directories(directory));
  const FileLock lock = FileLock::of_file(directory + ".lock");
  return fill(directory, bundle);
}

Stamped stamped(std::string executable, std::string_view plan) {
  const auto read = plan::read_plan(plan);
  const std::string digest = read ? plan::decision_digest(*read) : std::string(plan);
  // Another release of this program may run the same compilers in another way.
  const std::uint64_t number = checksum(executable, checksum(digest));
  const auto digits = hexadecimal(number);
  Stamped result{std::move(executable), 0};
  result.content.append("\nhostpin: bound ").append(digest).append(1, ' ');
  result.content.append(digits.data(), digits.size()).append(1, '\n');
  result.content.append(number % longest_padding, '\0');
  const std::uint64_t mixed = checksum({}, number);
  result.modified =
      static_cast<std::int64_t>((year_2000 + mixed % sixteen_years) * second_in_ns + number % second_in_ns);
  return result;
}

} // namespace hostpin::bind
