// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/tracing/tracee.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <fmt/format.h>

namespace hostpin::tracing {

namespace {

/// A line of /proc/PID/maps (proc_pid_maps(5)).
struct Mapping {
  std::uint64_t begin = 0, end = 0;
  std::string file; ///< its device and inode
  std::string path; ///< empty: it is of no file
};

std::vector<Mapping> mappings(pid_t process) {
  std::vector<Mapping> all;
  std::ifstream maps(fmt::format("/proc/{}/maps", process));
  for (std::string line; std::getline(maps, line);) {
    std::istringstream fields(line);
    Mapping mapping;
    char dash = 0;
    std::string mode, offset, device, inode;
    fields >> std::hex >> mapping.begin >> dash >> mapping.end >> mode >> offset >> device >> inode;
    mapping.file = device + ' ' + inode;
    if (const std::size_t path = line.find('/'); path != std::string::npos)
      mapping.path = line.substr(path);
    all.push_back(std::move(mapping));
  }
  return all;
}

/// Where the kernel mapped the program's ELF interpreter (getauxval(3)); 0: nowhere.
std::uint64_t interpreter_base(pid_t process) {
  std::ifstream vector(fmt::format("/proc/{}/auxv", process), std::ios::binary);
  std::array<std::uint64_t, 2> entry{}; // only processes of this machine type are read
  while (vector.read(reinterpret_cast<char*>(entry.data()), sizeof entry)) // NOLINT: bytes of numbers
    if (entry[0] == AT_BASE)
      return entry[1];
  return 0;
}

} // namespace

std::optional<std::string> string_at(pid_t process, std::uint64_t address) {
  constexpr std::size_t page = 4096;
  std::string text;
  std::array<char, page> buffer{};
  while (text.size() < longest_path) {
    const std::size_t count = page - address % page; // does not cross into a page that may be missing
    const iovec local{buffer.data(), count};
    const iovec remote{reinterpret_cast<void*>(address), count}; // NOLINT: an address of the other process
    const ssize_t got = process_vm_readv(process, &local, 1, &remote, 1, 0);
    if (got <= 0)
      return std::nullopt;
    const auto size = static_cast<std::size_t>(got);
    const auto* const end = static_cast<const char*>(std::memchr(buffer.data(), 0, size));
    if (end != nullptr)
      return text.append(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    text.append(buffer.data(), size);
    address += size;
  }
  return std::nullopt;
}

std::optional<std::string> link_target(const std::string& path) {
  std::string target(longest_path, '\0');
  const ssize_t size = readlink(path.c_str(), target.data(), target.size());
  if (size <= 0 || target.front() != '/') // such as `pipe:[123]`
    return std::nullopt;
  target.resize(static_cast<std::size_t>(size));
  return target;
}

std::vector<std::string> mapped_files(pid_t process) {
  std::vector<std::string> files;
  for (Mapping& mapping : mappings(process))
    if (!mapping.path.empty())
      files.push_back(std::move(mapping.path));
  return files;
}

bool is_of_loader(pid_t process, std::uint64_t address) {
  const std::uint64_t base = interpreter_base(process);
  if (base == 0)
    return false;
  const std::vector<Mapping> all = mappings(process);
  const auto of = [&](std::uint64_t where) {
    return std::ranges::find_if(all,
                                [&](const Mapping& each) { return each.begin <= where && where < each.end; });
  };
  const auto loader = of(base), code = of(address);
  return loader != all.end() && code != all.end() && !loader->path.empty() && loader->file == code->file;
}

std::string interpreter_of(const std::string& script) {
  constexpr std::size_t longest = 256; // BINPRM_BUF_SIZE
  std::array<char, longest> buffer{};
  struct stat found {};
  if (stat(script.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) // opening another one may wait
    return {};
  std::ifstream file(script, std::ios::binary);
  file.read(buffer.data(), buffer.size());
  std::string_view line(buffer.data(), static_cast<std::size_t>(file.gcount()));
  if (!line.starts_with("#!"))
    return {};
  line = line.substr(2, line.find('\n', 2) - 2);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  line = line.substr(0, line.find_first_of(std::string_view(" \t\0", 3)));
  return line.starts_with('/') ? std::string(line) : std::string();
}

} // namespace hostpin::tracing
