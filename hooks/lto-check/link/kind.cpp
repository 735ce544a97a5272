// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/link/kind.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hostpin {

namespace {

// An archive's symbol index may precede its first object; then the kind stays unknown, and the file is
// accepted.
constexpr std::size_t first_bytes = 4096;

/// For a regular file; empty if it cannot be read.
std::string head_of(const std::string& path, std::size_t length) {
  std::string head;
  // Not to block on a FIFO.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return head;
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    head.resize(length);
    const ssize_t count = ::pread(descriptor, head.data(), head.size(), 0);
    head.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  }
  ::close(descriptor);
  return head;
}

} // namespace

std::optional<ElfKind> kind_of_file(const std::string& path) {
  return elf_kind(head_of(path, first_bytes));
}

bool may_be_script(std::string_view head, std::uint64_t size) {
  if (head.empty() || size > longest_script)
    return false;
  // Scripts are text; objects, bitcode and fatbins have a NUL or another non-text byte in their first bytes.
  for (const char c : head)
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r')
      return false;
  return !is_archive(head) && static_cast<unsigned char>(head[0]) < 0x80;
}

} // namespace hostpin
