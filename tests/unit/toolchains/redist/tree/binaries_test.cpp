// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "tests/unit/toolchains/binary/elf_builder.hpp"
#include "tests/unit/toolchains/fatbin/pieces.hpp"
#include "tests/unit/toolchains/redist/tree/facts.hpp"
#include "toolchains/redist/tree/binaries.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::redist;

namespace {

std::optional<Binary> binary_of(const std::string& path, const std::string& bytes,
                                std::vector<DamagedFile>* damaged = nullptr) {
  const test::Tree tree;
  tree.write(path, bytes);
  std::vector<DamagedFile> ignored;
  return read_binary(tree.root(), path, test::content_facts(), damaged == nullptr ? ignored : *damaged);
}

std::string member(std::string name, const std::string& content) {
  name.resize(16, ' ');
  std::string size = std::to_string(content.size());
  size.resize(10, ' ');
  return name + std::string(32, ' ') + size + "`\n" + content + (content.size() % 2 == 1 ? "\n" : "");
}

} // namespace

TEST_CASE("a shared library has what its loader reads, and the versions that it needs at least") {
  const std::string bytes = test::ElfBuilder(true, true)
                                .build("libx.so.1", {"X_1", "X_2"},
                                       {{"libc.so.6", {"GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.4"}},
                                        {"libstdc++.so.6", {"GLIBCXX_3.4.21"}}},
                                       "$ORIGIN");
  const auto binary = binary_of("lib/libx.so.1.2.3", bytes);
  REQUIRE(binary);
  CHECK(binary->kind == Binary::Kind::library);
  CHECK(binary->output == "lib");
  CHECK(binary->machine == "x86_64");
  CHECK(binary->soname == "libx.so.1");
  CHECK(binary->needed == std::vector<std::string>{"libc.so.6", "libstdc++.so.6"});
  CHECK(binary->glibc == "2.17");
  CHECK(binary->glibcxx == "3.4.21");
  CHECK(binary->runpath == "$ORIGIN");
  CHECK(!binary->rpath);
}

TEST_CASE("names of libraries that are opened are those of known families, without NEEDED and the own name") {
  const std::string bytes =
      test::ElfBuilder(true, true).build("libcudnn.so.9", {}, {{"libcuda.so.1", {"V"}}});
  const std::string strings = std::string("text\0libnvrtc.so.12\0libcuda.so.1\0libcudnn.so.9\0libX11.so.6\0"
                                          "cannot open libcublas.so.12\0libcudnn_ops.so.9\0libcublas.so",
                                          116);
  const auto binary = binary_of("lib/libcudnn.so.9", bytes + strings);
  REQUIRE(binary);
  CHECK(binary->opened == std::vector<std::string>{"libcudnn_ops.so.9", "libnvrtc.so.12"});
}

TEST_CASE("a static library has the machine of its first object") {
  const std::string object = test::ElfBuilder(true, true).build("", {});
  const auto binary = binary_of("lib/libx_static.a", "!<arch>\n" + member("a.o/", object));
  REQUIRE(binary);
  CHECK(binary->kind == Binary::Kind::objects);
  CHECK(binary->machine == "x86_64");
  CHECK(binary_of("lib/libempty.a", "!<arch>\n")->machine.empty());
}

TEST_CASE("of a DLL the kind and machine are known, and no imports") {
  std::string bytes = "MZ" + std::string(58, '\0') + std::string("\x40\0\0\0PE\0\0\x64\x86", 10);
  bytes += std::string(16, '\0') + "\x22\x20";
  const auto binary = binary_of("bin/x.dll", bytes);
  REQUIRE(binary);
  CHECK(binary->kind == Binary::Kind::library);
  CHECK(binary->machine == "x86_64-pe");
  CHECK(binary->needed.empty());
  CHECK(!binary_of("bin/y.dll", "MZ"));
}

TEST_CASE("device code is counted by capability, machine code and PTX apart") {
  const std::string fatbin = test::fatbin_of({{2, 80}, {2, 90}, {1, 90}});
  std::string bytes = "!<arch>\n" + member("a.fatbin/", fatbin);
  const auto binary = binary_of("lib/libx_static.a", bytes);
  REQUIRE(binary);
  CHECK(binary->machine_code == std::set<gpus::Capability>{{8, 0}, {9, 0}});
  CHECK(binary->ptx == std::set<gpus::Capability>{{9, 0}});
}

TEST_CASE("a damaged library is reported, and text is neither a program nor damaged") {
  std::vector<DamagedFile> damaged;
  const std::string bytes = test::ElfBuilder(true, true).build("libx.so.1", {"X_1"});
  CHECK(!binary_of("lib/libx.so", bytes.substr(0, 70), &damaged));
  REQUIRE(damaged.size() == 1);
  CHECK(damaged.front().path == "lib/libx.so");
  CHECK(!binary_of("bin/tool", "#!/bin/sh\n", &damaged));
  CHECK(!binary_of("lib/empty", "", &damaged));
  CHECK(damaged.size() == 1);
}

TEST_CASE("machines have the names of platforms") {
  std::string head("\x7f"
                   "ELF\2\1\1",
                   7);
  head.resize(18);
  CHECK(elf_machine(head + "\xb7" + '\0') == "aarch64");
  CHECK(elf_machine(head + "\x15" + '\0') == "ppc64le");
  CHECK(elf_machine(head + "\xf3" + '\0') == "machine-243");
  head[5] = 2;
  CHECK(elf_machine(head + '\0' + "\x15") == "machine-21");
  CHECK(elf_machine("short").empty());
}
