// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/store/nar.hpp"

#include "toolchains/archive/sha256.hpp"
#include "toolchains/base/os_error.hpp"
#include "toolchains/base/system_call.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace hostpin::redist {

namespace {

constexpr std::size_t alignment = 8;
constexpr unsigned deepest = 256; // levels of directories; toolkits have about 12

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

/// In the order of their bytes, as Nix sorts them.
Result<std::vector<std::string>> names_in(int descriptor, const std::string& path) {
  const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  const std::unique_ptr<DIR, CloseDirectory> directory(copy < 0 ? nullptr : ::fdopendir(copy));
  if (!directory) {
    const auto error = os_failure("read " + path);
    if (copy >= 0)
      ::close(copy);
    return error;
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(directory.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..")
      names.emplace_back(name);
    errno = 0;
  }
  if (errno != 0)
    return os_failure("read " + path);
  std::ranges::sort(names);
  return names;
}

/// Writes a Nix archive into a hash. The format is that of figure 5.2 in "The Purely Functional Software
/// Deployment Model" (Dolstra, 2006): strings with their length, padded with zeros.
class NarHash {
public:
  Result<void> add(int parent, const std::string& name, const std::string& path, unsigned depth) {
    struct stat status {};
    if (::fstatat(parent, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
      return os_failure("read " + path);
    string("(");
    string("type");
    Result<void> added;
    if (S_ISREG(status.st_mode))
      added = file(parent, name, path, (status.st_mode & S_IXUSR) != 0);
    else if (S_ISLNK(status.st_mode))
      added = link(parent, name, path);
    else if (S_ISDIR(status.st_mode))
      added = directory(parent, name, path, depth);
    else
      added = failure(path + " is neither a file, a directory nor a symbolic link");
    string(")");
    return added;
  }
  void string(std::string_view text) {
    number(text.size());
    hash_.update(text);
    pad(text.size());
  }
  std::string hex() { return hash_.hex(); }

private:
  void number(std::uint64_t value) {
    std::array<char, alignment> bytes{};
    for (char& byte : bytes) {
      byte = static_cast<char>(value & 0xffU);
      value >>= 8U;
    }
    hash_.update({bytes.data(), bytes.size()});
  }
  void pad(std::uint64_t size) {
    constexpr std::array<char, alignment> zeros{};
    hash_.update({zeros.data(), (alignment - size % alignment) % alignment});
  }

  Result<void> file(int parent, const std::string& name, const std::string& path, bool executable) {
    const Descriptor open(::openat(parent, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat status {};
    if (open.number() < 0 || ::fstat(open.number(), &status) != 0)
      return os_failure("read " + path);
    string("regular");
    if (executable) {
      string("executable");
      string("");
    }
    string("contents");
    const auto size = static_cast<std::uint64_t>(status.st_size);
    number(size);
    TRY_ASSIGN(const auto added, update_from_file(hash_, open.number(), size, path));
    if (added != size)
      return failure(path + " became shorter while it was read");
    pad(size);
    return {};
  }

  Result<void> link(int parent, const std::string& name, const std::string& path) {
    std::array<char, PATH_MAX + 1> target{};
    const ssize_t size = ::readlinkat(parent, name.c_str(), target.data(), target.size());
    if (size < 0)
      return os_failure("read " + path);
    string("symlink");
    string("target");
    string({target.data(), static_cast<std::size_t>(size)});
    return {};
  }

  Result<void> directory(int parent, const std::string& name, const std::string& path, unsigned depth) {
    if (depth == deepest)
      return failure(path + " is deeper than " + std::to_string(deepest) + " directories");
    const Descriptor open(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (open.number() < 0)
      return os_failure("read " + path);
    TRY_ASSIGN(const auto names, names_in(open.number(), path));
    string("directory");
    for (const std::string& one : names) {
      string("entry");
      string("(");
      string("name");
      string(one);
      string("node");
      TRY(add(open.number(), one, path + '/' + one, depth + 1));
      string(")");
    }
    return {};
  }

  Sha256 hash_;
};

} // namespace

Result<std::string> nar_sha256(const std::string& path) {
  NarHash hash;
  hash.string("nix-archive-1");
  TRY(hash.add(AT_FDCWD, path, path, 0));
  return hash.hex();
}

} // namespace hostpin::redist
