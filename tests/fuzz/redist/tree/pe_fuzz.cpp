// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Headers of Windows files, and members of their libraries. Names are without NUL and of bounded length.
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/toolchains/redist/tree/pe_builder.hpp"
#include "toolchains/redist/tree/pe.hpp"

#include <cstdlib>
#include <string_view>

using namespace hostpin;
using namespace hostpin::redist;

std::vector<std::string> seeds() {
  return {test::pe_file(0x8664, "x.dll", {"a.dll", "b.dll"}), test::pe_file(0xaa64, "", {"KERNEL32.dll"}),
          test::short_import(0x8664, "symbol", "x.dll"), "MZ",
          "!<arch>\nx.dll/                                          48        `\n" +
              test::short_import(0x8664, "symbol_wit", "xy.dll") + std::string(8, '\0')};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto check = [](const std::string& name) {
    if (name.size() > 512 || name.find('\0') != std::string::npos)
      std::abort();
  };
  if (const auto image = read_pe(bytes); image && *image) {
    check((*image)->name);
    for (const std::string& name : (*image)->imports)
      check(name);
    if ((*image)->imports.size() > std::size_t{2} * 4096)
      std::abort();
  }
  if (const auto member = read_coff_member(bytes))
    check(member->dll);
  for (const std::string& dll : imported_dlls(bytes))
    check(dll);
  return 0;
}
