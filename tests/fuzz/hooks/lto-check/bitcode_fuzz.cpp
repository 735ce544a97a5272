// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM bitcode: our walk over its blocks, and LLVM's reader of what that hands to it.
#include "hooks/lto-check/bitstream/modules.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/hooks/lto-check/invariants.hpp"
#include "tests/unit/toolchains/binary/builder.hpp"

using namespace hostpin;
using namespace hostpin::binary;

std::vector<std::string> seeds() {
  return {test::bitcode("LLVM19.1.7"),
          test::bitcode("LLVM21.1.2-rust-1.92.0-stable") + test::bitcode("APPLE_1_1500.3"),
          test::wrapped(test::bitcode("LLVM3.8.1")),
          test::bitcode_magic + test::block(8, std::string(8, '\0')),
          test::ObjectBuilder().add(".llvm.lto", test::bitcode("LLVM18.1.8")).build()};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const InputFile file(bytes);
  std::size_t modules = 0;
  const auto read = lto::each_module(Bytes(file), [&](std::string_view identification) -> Reading<bool> {
    test::require(identification.empty() || lto::is_bitcode(identification));
    return ++modules < 1000;
  });
  test::require(!read || modules > 0);
  if (!bytes.starts_with("!<"))
    test::scan(bytes);
  return 0;
}
