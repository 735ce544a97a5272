// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What holds device code: fatbins, raw or in objects and programs, cubins, PTX and archives of them.
#include "hooks/leak-check/scan/containers.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/hooks/lto-check/invariants.hpp"
#include "tests/unit/hooks/leak-check/scan/fatbin_builder.hpp"
#include "tests/unit/toolchains/binary/builder.hpp"
#include "tests/unit/toolchains/fatbin/pieces.hpp"
#include "toolchains/fatbin/expectation.hpp"
#include "toolchains/fatbin/inventory.hpp"

#include <cstdlib>

using namespace hostpin;
using namespace hostpin::binary;

namespace {

using test::require;

/// Entries lie in the bytes, in order, to every reader.
void require_order(std::string_view bytes) {
  const InputFile file(bytes);
  std::size_t entries = 0;
  static_cast<void>(each_fatbin(Bytes(file), [&](const std::vector<EmbeddedCode>& fatbin) -> Reading<bool> {
    entries += fatbin.size();
    return true;
  }));
  require(entries <= bytes.size() / 32); // the head of an entry
  std::uint64_t last = 0;
  static_cast<void>(leak::read_fatbins(binary::Blob(std::string(bytes)), [&](const leak::FatbinEntry& entry) {
    require(entry.offset() >= last && entry.offset() <= bytes.size() &&
            entry.head.size <= bytes.size() - entry.offset());
    last = entry.offset();
    return !entry.name().empty();
  }));
}

std::string cubin() {
  std::string bytes =
      test::ObjectBuilder().kind(2).add(".note.nv.tkinfo", "ptxas -arch sm_100f -m 64", 7).build();
  bytes[7] = '\x41';
  test::put(bytes, 18, test::little(190, 2));
  test::put(bytes, 48, test::little(0x6006402, 4));
  return bytes;
}

} // namespace

std::vector<std::string> seeds() {
  const std::string one = test::fatbin_of({{1, 80, test::lz4, 20, 99, "a.cu"}, {2, 90, test::specific}}),
                    two = test::fatbin_of({{8, 80, test::zstd, 9, 80}, {2, 100, test::family}});
  return {one + two,
          test::ObjectBuilder().add(".nv_fatbin", one).add("__nv_relfatbin", two).build(),
          test::ObjectBuilder(false, false).kind(3).add(".interp", "/ld.so").add(".nv_fatbin", one).build(),
          cubin(),
          "// a comment\n.version 8.4\n.target sm_90a, debug\n",
          std::string("\xED\x43\x4E\x7F\x01\x3D", 6),
          test::fatbin({{2, 90, 0,
                         "\x7f"
                         "ELF cubin"},
                        {1, 80, 0x8000, "zstd"}}) +
              std::string(8, '\0') + test::fatbin({{8, 75, 0x2000, "lz4"}}),
          "!<arch>\na.o/            0           0     0     644     " + std::to_string(one.size()) +
              "       `\n" + one};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with("!<thin>"))
    return 0; // would open other files
  require_order(bytes);
  if (!bytes.starts_with("!<"))
    test::scan(bytes);
  const InputFile file(bytes);
  std::vector<fatbin::Unread> unread;
  const fatbin::FileInventory found = fatbin::file_inventory("x", file, unread);
  // Pieces have heads of their own, so that they cannot be more than the bytes; members may be sections
  // twice.
  std::uint64_t entries = 0;
  for (const auto& [held, amount] : found.holding.codes) {
    require(amount.fatbins > 0 && amount.fatbins <= amount.entries &&
            amount.fatbins <= found.holding.fatbins);
    require(amount.packed[0] + amount.packed[1] + amount.packed[2] == amount.entries);
    require(!fatbin::to_string(held).empty());
    entries += amount.entries;
  }
  require(found.holding.empty() == (entries == 0));
  const gpus::GpuExpansion asked{{{{8, 0}, true, true}, {{9, 0}, true, false}}, {}};
  const fatbin::Comparison result = fatbin::comparison(asked, found.holding, found.kind);
  require(result.surplus_bytes <= found.holding.bytes());
  require(result.missing.size() <= 3);
  require(found.holding.idle <= found.holding.fatbins);
  require(found.holding.codes.size() <= fatbin::Holding::most_codes);
  require(found.whole == unread.empty());
  for (const fatbin::HeldCode& code : result.partial)
    require(fatbin::fatbins_without(code, found.holding, found.kind) > 0);
  return 0;
}
