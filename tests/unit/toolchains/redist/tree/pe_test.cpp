// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/redist/tree/pe_builder.hpp"
#include "toolchains/redist/tree/pe.hpp"

#include <doctest/doctest.h>

using namespace hostpin::redist;
using namespace hostpin::test;

TEST_CASE("a DLL has a machine, a name, and the DLLs that it imports") {
  const auto image = read_pe(pe_file(0x8664, "cublas64_12.dll", {"cublasLt64_12.dll", "KERNEL32.dll"}));
  REQUIRE((image && *image));
  CHECK((*image)->machine == 0x8664);
  CHECK((*image)->library);
  CHECK((*image)->name == "cublas64_12.dll");
  CHECK((*image)->imports == std::vector<std::string>{"cublasLt64_12.dll", "KERNEL32.dll"});
}

TEST_CASE("a program has no name and no exports") {
  const auto image = read_pe(pe_file(0xaa64, "", {"KERNEL32.dll"}));
  REQUIRE((image && *image));
  CHECK(!(*image)->library);
  CHECK((*image)->name.empty());
  CHECK((*image)->machine == 0xaa64);
}

TEST_CASE("other files, and headers that are cut off, are no PE files") {
  const std::string whole = pe_file(0x8664, "a.dll", {"b.dll"});
  CHECK(!*read_pe("MZ"));
  CHECK(!*read_pe("\x7f"
                  "ELF"));
  for (std::size_t size = 0; size < 0x40 + 24; ++size)
    CHECK(!*read_pe(whole.substr(0, size)));
}

TEST_CASE("a table of imports that is cut off is damage") {
  const std::string whole = pe_file(0x8664, "a.dll", {"b.dll"});
  CHECK(!read_pe(whole.substr(0, whole.size() - 1)));
  std::string moved = whole;
  moved.replace(0x40 + 24 + 112 + 8, 4, pe_number(0x7fffffff, 4));
  CHECK(!read_pe(moved));
}

TEST_CASE("a member of an import library names its DLL") {
  const auto member = read_coff_member(short_import(0x8664, "cublasCreate_v2", "cublas64_12.dll"));
  REQUIRE(member);
  CHECK(member->dll == "cublas64_12.dll");
  CHECK(member->machine == 0x8664);
  CHECK(!read_coff_member(short_import(0x8664, "symbol", "x.dll").substr(0, 28)));
  CHECK(read_coff_member(pe_number(0xaa64, 2) + std::string(18, '\0'))->dll.empty());
  CHECK(!read_coff_member("text of a file"));
}

TEST_CASE("an import library names the DLLs that it leads to, each once") {
  const auto member = [](const std::string& content) {
    std::string header = "x.dll/";
    header.resize(48, ' ');
    header += std::to_string(content.size());
    header.resize(58, ' ');
    return header + "`\n" + content + (content.size() % 2 == 0 ? "" : "\n");
  };
  const std::string archive = "!<arch>\n" + member(pe_number(0x8664, 2) + std::string(40, '\0')) +
                              member(short_import(0x8664, "f", "x.dll")) +
                              member(short_import(0x8664, "g", "x.dll")) +
                              member(short_import(0x8664, "h", "Y.dll"));
  CHECK(imported_dlls(archive) == std::vector<std::string>{"x.dll", "Y.dll"});
  CHECK(imported_dlls("!<arch>\n").empty());
  CHECK(imported_dlls("MZ").empty());
  for (std::size_t size = 0; size < archive.size(); ++size)
    CHECK(imported_dlls(archive.substr(0, size)).size() <= 2);
}
