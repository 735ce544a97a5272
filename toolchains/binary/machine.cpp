// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/machine.hpp"

#include "toolchains/binary/blob.hpp"

#include <algorithm>
#include <array>
#include <elf.h>

namespace hostpin::binary {

namespace {

struct Machine {
  ElfKind kind;
  std::string_view name;
  std::string_view architecture; ///< first part of a triple; empty if another row has that of this kind
};

// Those for which glibc's ABI list or the kernel's arch/ has a Linux. The first row of a kind has its name.
constexpr auto machines = std::to_array<Machine>({
    {{true, EM_X86_64}, "x86-64", "x86_64"},
    {{false, EM_X86_64}, "x32", ""},
    {{false, EM_386}, "i386", "i686"},
    {{false, EM_386}, "i386", "i586"},
    {{false, EM_386}, "i386", "i486"},
    {{false, EM_386}, "i386", "i386"},
    {{true, EM_AARCH64}, "aarch64", "aarch64"},
    {{true, EM_AARCH64, true}, "big-endian aarch64", "aarch64_be"},
    {{false, EM_ARM}, "arm", "arm"},
    {{false, EM_ARM, true}, "big-endian arm", "armeb"},
    {{true, EM_PPC64}, "ppc64le", "powerpc64le"},
    {{true, EM_PPC64, true}, "big-endian ppc64", "powerpc64"},
    {{false, EM_PPC, true}, "powerpc", "powerpc"},
    {{true, EM_S390, true}, "s390x", "s390x"},
    {{true, EM_RISCV}, "riscv64", "riscv64"},
    {{false, EM_RISCV}, "riscv32", "riscv32"},
    {{true, 258}, "loongarch64", "loongarch64"}, // EM_LOONGARCH of newer C libraries
    {{true, EM_MIPS}, "mips64el", "mips64el"},
    {{true, EM_MIPS, true}, "big-endian mips64", "mips64"},
    {{false, EM_MIPS}, "mipsel", "mipsel"},
    {{false, EM_MIPS, true}, "big-endian mips", "mips"},
    {{true, EM_SPARCV9, true}, "sparc64", "sparc64"},
});

const Machine* row_of(const ElfKind& kind) {
  const auto* const row = std::find_if(machines.begin(), machines.end(),
                                       [&](const Machine& machine) { return machine.kind == kind; });
  return row == machines.end() ? nullptr : row;
}

constexpr std::string_view own_architecture =
#if defined __x86_64__
    "x86_64";
#elif defined __aarch64__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    "aarch64";
#elif defined __powerpc64__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    "powerpc64le";
#else
    "";
#endif

} // namespace

std::string machine_name(const ElfKind& kind) {
  if (const Machine* const row = row_of(kind))
    return std::string(row->name);
  return std::string(kind.big ? "big-endian " : "") + (kind.wide ? "" : "32-bit ") + "machine " +
         std::to_string(kind.machine);
}

std::string pe_machine_name(std::uint16_t machine) {
  switch (machine) {
  case 0x8664:
    return "x86-64";
  case 0xaa64:
    return "aarch64";
  case 0x14c:
    return "i386";
  default:
    return "machine " + std::to_string(machine);
  }
}

std::optional<ElfKind> kind_of_triple(std::string_view triple) {
  const std::string_view architecture = triple.substr(0, triple.find('-'));
  for (const Machine& machine : machines)
    if (!architecture.empty() && machine.architecture == architecture)
      return machine.kind;
  return std::nullopt;
}

bool runs_linux(const ElfKind& kind) {
  return row_of(kind) != nullptr;
}

bool runs_here(const ElfKind& kind) {
  const auto own = kind_of_triple(own_architecture);
  const bool is_x86 = own && own->machine == EM_X86_64;
  return !own || kind == *own || (is_x86 && (kind.machine == EM_386 || kind.machine == EM_X86_64));
}

bool runs_here(std::string_view triple) {
  const auto kind = kind_of_triple(triple);
  return !kind || runs_here(*kind);
}

std::string own_triple() {
  return std::string(own_architecture) + "-linux-gnu";
}

std::optional<PeHeader> pe_header(std::string_view beginning) {
  const ElfBytes bytes(beginning, false, true);
  if (!beginning.starts_with("MZ"))
    return std::nullopt;
  const auto at = bytes.number(0x3c, 4);
  if (!at || bytes.slice(*at, 4) != std::string_view("PE\0\0", 4))
    return std::nullopt;
  const auto machine = bytes.number(*at + 4, 2), flags = bytes.number(*at + 22, 2);
  constexpr std::uint64_t flag_library = 0x2000;
  if (!machine || !flags)
    return std::nullopt;
  return PeHeader{static_cast<std::uint16_t>(*machine), (*flags & flag_library) != 0};
}

} // namespace hostpin::binary
