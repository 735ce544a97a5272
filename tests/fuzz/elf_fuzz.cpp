// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/toolchains/binary/elf_builder.hpp"
#include "toolchains/library/library.hpp"

#include <cstdlib>

using namespace hostpin;

std::vector<std::string> seeds() {
  std::vector<std::string> result;
  for (const bool wide : {false, true})
    for (const bool little : {false, true})
      result.push_back(
          test::ElfBuilder(wide, little)
              .build("libstdc++.so.6", {"GLIBCXX_3.4.30", "CXXABI_1.3.13"},
                     {{"libm.so.6", {"GLIBC_2.29"}}, {"libc.so.6", {"GLIBC_2.4", "GLIBC_2.34"}}}));
  result.push_back("!<arch>\nx.o/                                            12        `\n" + result.front());
  return result;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto object = read_shared_object(bytes);
  // Records take 20 bytes each, so more names than that were made up.
  if (object && object->version_definitions.size() > size / 20)
    std::abort();
  if (object && (object->version_needs.size() > size / 16 || object->needed.size() > size / 8))
    std::abort();
  if (object)
    highest_version(*object, "GLIBCXX_"), highest_needed_version(*object, "GLIBC_");
  if (object && elf_kind(bytes) != object->kind)
    std::abort();
  elf_kind(bytes);
  return 0;
}
