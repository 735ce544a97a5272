// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/machine.hpp"

#include <string>
#include <tuple>

#include <doctest/doctest.h>

using namespace hostpin::binary;

TEST_CASE("a triple's first part gives the kind of its programs, and each kind has a name") {
  for (const auto& [triple, kind, name] :
       {std::tuple("x86_64-linux-gnu", ElfKind{true, 62}, "x86-64"),
        std::tuple("aarch64-linux-gnu", ElfKind{true, 183}, "aarch64"),
        std::tuple("aarch64_be-linux-gnu", ElfKind{true, 183, true}, "big-endian aarch64"),
        std::tuple("powerpc64le-linux-gnu", ElfKind{true, 21}, "ppc64le"),
        std::tuple("powerpc64-linux-gnu", ElfKind{true, 21, true}, "big-endian ppc64"),
        std::tuple("s390x-linux-gnu", ElfKind{true, 22, true}, "s390x"),
        std::tuple("i486-linux-gnu", ElfKind{false, 3}, "i386")}) {
    CAPTURE(triple);
    CHECK(kind_of_triple(triple) == kind);
    CHECK(machine_name(kind) == name);
    CHECK(runs_linux(kind));
  }
  CHECK_FALSE(kind_of_triple(""));
  CHECK_FALSE(kind_of_triple("nvptx64-nvidia-cuda"));
}

TEST_CASE("device code and other processors that no Linux runs on are not taken for a machine's programs") {
  constexpr ElfKind cubin{true, 190}, bpf{true, 247}, avr{false, 83};
  for (const ElfKind& kind : {cubin, bpf, avr, ElfKind{false, 190, true}})
    CHECK_FALSE(runs_linux(kind));
  CHECK(machine_name(cubin) == "machine 190");
  CHECK(machine_name({false, 190, true}) == "big-endian 32-bit machine 190");
}

TEST_CASE("this machine runs its own programs, and none of a machine with another byte order") {
#ifdef __x86_64__
  CHECK(runs_here(ElfKind{true, 62}));
  CHECK(runs_here(ElfKind{false, 3}));
  CHECK_FALSE(runs_here("aarch64-linux-gnu"));
  CHECK_FALSE(runs_here("powerpc64le-linux-gnu"));
#endif
#ifdef __aarch64__
  CHECK(runs_here("aarch64-linux-gnu"));
  CHECK_FALSE(runs_here("x86_64-linux-gnu"));
#endif
  CHECK_FALSE(runs_here("aarch64_be-linux-gnu"));
  CHECK(runs_here("unheard-of-triple"));
}

TEST_CASE("the beginning of a PE file has its machine, and whether it is a DLL") {
  const auto file = [](const std::string& machine, const std::string& flags) {
    std::string bytes = "MZ" + std::string(0x3a, '\0') + std::string("\x40\0\0\0", 4);
    return bytes + std::string("PE\0\0", 4) + machine + std::string(16, '\0') + flags;
  };
  const std::string program = file("\x64\x86", std::string("\x22\0", 2)),
                    library = file("\x64\xaa", "\x22\x20");
  REQUIRE(pe_header(program));
  CHECK(pe_header(program)->machine == 0x8664);
  CHECK_FALSE(pe_header(program)->library);
  REQUIRE(pe_header(library));
  CHECK(pe_machine_name(pe_header(library)->machine) == "aarch64");
  CHECK(pe_header(library)->library);
  CHECK(pe_machine_name(0x1c4) == "machine 452");
  for (std::size_t size = 0; size < program.size(); ++size)
    CHECK_FALSE(pe_header(program.substr(0, size)));
  CHECK_FALSE(pe_header("MZ" + std::string(100, '\xff')));
}
