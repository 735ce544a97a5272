// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/packed/fatbin.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/hooks/leak-check/packed/fatbin_builder.hpp"

#include <cstdlib>

using namespace hostpin;

std::vector<std::string> seeds() {
  return {test::fatbin({{2, 90, 0,
                         "\x7f"
                         "ELF cubin"},
                        {1, 80, 0x8000, "zstd"}}) +
          std::string(8, '\0') + test::fatbin({{8, 75, 0x2000, "lz4"}})};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::uint64_t last = 0;
  (void)read_fatbins(
      Blob(std::string(reinterpret_cast<const char*>(data), size)), [&](const FatbinEntry& entry) {
        if (entry.offset < last || entry.offset > size || entry.head.size > size - entry.offset)
          std::abort();
        last = entry.offset;
        return !entry.name().empty();
      });
  return 0;
}
