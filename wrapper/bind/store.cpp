// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/store.hpp"

#include "wrapper/bind/lock.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace hostpin {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view marker = "binding.toml"; // a directory without it and not empty is not ours

tl::unexpected<Error> system_failure(std::string_view doing, const std::string& path, int reason) {
  return failure(fmt::format("cannot {} {}: {}", doing, path, std::strerror(reason)));
}

Result<std::string> read_driver(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return failure(fmt::format("cannot read {}: {}", path, std::strerror(errno)),
                   "reinstall hostpin: its libexec directory is incomplete");
  std::string content;
  std::array<char, 65536> buffer{};
  ssize_t count = 0;
  while ((count = read(descriptor, buffer.data(), buffer.size())) > 0 || (count < 0 && errno == EINTR))
    if (count > 0)
      content.append(buffer.data(), static_cast<std::size_t>(count));
  const int reason = errno;
  close(descriptor);
  if (count < 0)
    return system_failure("read", path, reason);
  return content;
}

bool same_content(const std::string& path, std::string_view content) {
  const auto existing = read_driver(path);
  return existing && *existing == content;
}

/// The executable under both names. A running executable must not be written to, so it is replaced, and only
/// when it differs: refreshing a binding leaves the programs alone that others are executing.
Result<void> copy_driver(const std::string& directory, const std::string& driver) {
  const auto content = read_driver(driver);
  if (!content)
    return tl::unexpected(content.error());
  for (const char* const name : {"c++", "nvcc"}) {
    const std::string path = directory + '/' + name;
    if (same_content(path, *content))
      continue;
    if (const auto written = replace_file(path, *content, true); !written)
      return written;
  }
  return {};
}

Result<void> link_driver(const std::string& directory, const std::string& driver) {
  for (const char* const name : {"c++", "nvcc"}) {
    const std::string path = directory + '/' + name;
    struct stat wanted {};
    struct stat present {};
    if (stat(driver.c_str(), &wanted) == 0 && stat(path.c_str(), &present) == 0 &&
        wanted.st_ino == present.st_ino && wanted.st_dev == present.st_dev)
      continue;
    std::random_device random; // nobody can wait under this name
    const std::string draft = fmt::format("{}.{:08x}{:08x}", path, random(), random());
    if (link(driver.c_str(), draft.c_str()) != 0 || rename(draft.c_str(), path.c_str()) != 0) {
      unlink(draft.c_str());
      return copy_driver(directory, driver); // another file system, or links to foreign files are not allowed
    }
  }
  return {};
}

Result<void> write_texts(const std::string& directory, const Bundle& bundle) {
  // The plan names the record by its digest, so between the two writes nobody takes the wrong one.
  const std::string record = directory + "/identity";
  if (bundle.identity.empty())
    unlink(record.c_str());
  else if (const auto written = replace_file(record, bundle.identity, false); !written)
    return written;
  const std::pair<const char*, const std::string&> files[] = {{"toolchain.cmake", bundle.toolchain_cmake},
                                                              {"binding.toml", bundle.binding_toml},
                                                              {"plan", bundle.plan}};
  for (const auto& [name, content] : files)
    if (const auto written = replace_file(directory + '/' + name, content, false); !written)
      return written;
  return {};
}

Result<void> fill(const std::string& directory, const Bundle& bundle) {
  if (const auto copied = copy_driver(directory, bundle.driver); !copied)
    return copied;
  return write_texts(directory, bundle);
}

Result<void> create_whole(const std::string& directory, const Bundle& bundle) {
  std::error_code error;
  const fs::path parent = fs::path(directory).parent_path();
  if (!parent.empty())
    fs::create_directories(parent, error);
  std::string draft = directory + ".XXXXXX";
  if (error || mkdtemp(draft.data()) == nullptr)
    return system_failure("create", directory, error ? error.value() : errno);
  chmod(draft.c_str(), 0755);
  Result<void> done = fill(draft, bundle);
  if (done && rename(draft.c_str(), directory.c_str()) != 0)
    done = system_failure("create", directory, errno);
  if (!done)
    fs::remove_all(draft, error);
  return done;
}

} // namespace

Result<void> nobody_else_writes_to(const std::string& directory) {
  struct stat status {};
  if (stat(directory.c_str(), &status) != 0)
    return system_failure("look at", directory, errno);
  const bool foreign = status.st_uid != geteuid() && status.st_uid != 0;
  if (foreign || ((status.st_mode & S_IWOTH) != 0 && (status.st_mode & S_ISVTX) == 0))
    return failure(fmt::format("{} {}, who could exchange what is bound there; nothing was written",
                               directory,
                               foreign ? "belongs to somebody else" : "can be written by everybody"),
                   "name a new directory, or make it yours: chown, chmod o-w");
  return {};
}

Result<void> write_bound_directory(const std::string& directory, const Bundle& bundle) {
  std::error_code error;
  const auto kind = fs::status(directory, error).type();
  if (kind == fs::file_type::none)
    return system_failure("look at", directory, error.value());
  if (kind == fs::file_type::not_found) {
    auto created = create_whole(directory, bundle);
    // Where another bind was faster, this one is the second of two.
    if (created || !fs::exists(directory + '/' + std::string(marker), error))
      return created;
  } else if (kind != fs::file_type::directory)
    return failure(fmt::format("{} exists and is not a directory", directory),
                   "name a new or an empty directory");
  const bool ours =
      fs::exists(directory + '/' + std::string(marker), error) || fs::is_empty(directory, error);
  if (error)
    return system_failure("read", directory, error.value());
  if (!ours)
    return failure(fmt::format("{} holds files that are not a binding; nothing was written", directory),
                   "name a new or an empty directory");
  if (auto safe = nobody_else_writes_to(directory); !safe)
    return safe;
  const Lock lock = Lock::of_directory(directory); // two binds of one directory must not mix their files
  return fill(directory, bundle);
}

Result<void> write_cached_directory(const std::string& directory, const Bundle& bundle) {
  if (auto made = make_private_directories(directory); !made)
    return made;
  const Lock lock(directory + ".lock");
  if (auto linked = link_driver(directory, bundle.driver); !linked)
    return linked;
  return write_texts(directory, bundle);
}

} // namespace hostpin
