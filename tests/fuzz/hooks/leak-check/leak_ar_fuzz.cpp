// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/archive/ar.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/hooks/leak-check/scan/packing.hpp"

#include <cstdlib>

using namespace hostpin;

std::vector<std::string> seeds() {
  return {test::ar_archive({{"x.o", "odd"}, {"a_name_longer_than_its_field.o", "even"}}),
          "!<thin>\n//                                              10        `\nsub/x.o/\n "};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::uint64_t last = 0;
  (void)read_ar(Blob(std::string(reinterpret_cast<const char*>(data), size)), [&](const ArMember& member) {
    // Members lie within the archive and never go back, so that their number is bounded too.
    if (member.header < last || member.offset > size + 60 || member.size > size || member.name.size() > 4096)
      std::abort();
    if (member.size > 0 && member.offset + member.size > size)
      std::abort();
    last = member.header + 60;
    return true;
  });
  return 0;
}
