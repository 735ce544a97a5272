// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects with GCC's code, and the zlib streams of GCC 9.
#include "hooks/lto-check/bitstream/gcc.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/hooks/lto-check/invariants.hpp"
#include "tests/unit/toolchains/binary/builder.hpp"

using namespace hostpin;

std::vector<std::string> seeds() {
  std::vector<std::string> all = {test::gcc_object(13, 1), test::old_gcc_object(8, 1, true),
                                  test::deflated(test::number(8, 2) + test::number(1, 2) + "and more")};
  for (const bool wide : {false, true})
    for (const bool little : {false, true})
      all.push_back(test::ObjectBuilder(wide, little)
                        .numbers_in_first_section()
                        .add(".gnu.lto_.decls.1", "x")
                        .add(".gnu.lto_.lto.1", test::gcc_version_section(12, 0, true, little))
                        .add(".gnu.lto_.lto.2", test::gcc_version_section(12, 1, false, little))
                        .build());
  return all;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto version = lto::gcc_version_in_zlib(bytes))
    test::require(version->major >= 1 && version->major <= 255);
  if (!bytes.starts_with("!<"))
    test::scan(bytes);
  return 0;
}
