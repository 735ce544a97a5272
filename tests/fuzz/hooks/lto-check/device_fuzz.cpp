// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fatbins, raw or in objects, and LTO-IR.
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/hooks/lto-check/invariants.hpp"
#include "tests/unit/toolchains/binary/builder.hpp"
#include "toolchains/binary/fatbin.hpp"

using namespace hostpin;
using namespace hostpin::binary;

std::vector<std::string> seeds() {
  const std::string one = test::fatbin({{1, 80, 8, 4}, {2, 80, 1, 7}, {8, 80, 1, 61}}),
                    two = test::fatbin({{8, 90, 1, 65}});
  return {one + two, test::ObjectBuilder().add("__nv_relfatbin", one).add(".nv_fatbin", two).build(),
          std::string("\xED\x43\x4E\x7F\x01\x3D", 6)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const InputFile file(bytes);
  std::size_t entries = 0;
  static_cast<void>(each_fatbin(Bytes(file), [&](const std::vector<EmbeddedCode>& fatbin) -> Reading<bool> {
    entries += fatbin.size();
    return true;
  }));
  test::require(entries <= size / 32); // the head of an entry
  if (!bytes.starts_with("!<"))
    test::scan(bytes);
  return 0;
}
