// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/link/kind.hpp"

#include <array>
#include <cstdint>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hostpin {

namespace {

struct Emulation {
  std::string_view name;
  ElfKind kind;
};
constexpr auto emulations = std::to_array<Emulation>({{"elf_x86_64", {true, 62}},
                                                      {"elf32_x86_64", {false, 62}},
                                                      {"elf_i386", {false, 3}},
                                                      {"aarch64linux", {true, 183}},
                                                      {"aarch64elf", {true, 183}},
                                                      {"armelf_linux_eabi", {false, 40}},
                                                      {"elf64lppc", {true, 21}},
                                                      {"elf64_s390", {true, 22}},
                                                      {"elf64lriscv", {true, 243}},
                                                      {"elf64loongarch", {true, 258}}});

constexpr std::size_t telling_bytes = 16;
// An archive's symbol index may stand before its first object; then the kind stays unknown, and the file
// fits.
constexpr std::size_t first_bytes = 4096;

struct Head {
  std::string bytes;
  std::uint64_t size = 0;
};

std::optional<Head> head_of(const std::string& path, std::size_t length) {
  // Not to block on a FIFO.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return std::nullopt;
  Head head;
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    head.size = static_cast<std::uint64_t>(status.st_size);
    head.bytes.resize(length);
    const ssize_t count = ::pread(descriptor, head.bytes.data(), head.bytes.size(), 0);
    head.bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  }
  ::close(descriptor);
  return head;
}

} // namespace

std::optional<ElfKind> kind_of_emulation(std::string_view emulation) {
  for (const Emulation& row : emulations)
    if (row.name == emulation)
      return row.kind;
  return std::nullopt;
}

std::optional<ElfKind> kind_of_file(const std::string& path) {
  const auto head = head_of(path, first_bytes);
  return head ? elf_kind(head->bytes) : std::nullopt;
}

bool may_be_script(const std::string& path) {
  const auto head = head_of(path, telling_bytes);
  if (!head || head->bytes.empty() || head->size > longest_script)
    return false;
  // Scripts are text; objects, bitcode and fatbins have a NUL or a byte of no text among their first ones.
  for (const char c : head->bytes)
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r')
      return false;
  return !is_archive(head->bytes) && static_cast<unsigned char>(head->bytes[0]) < 0x80;
}

} // namespace hostpin
