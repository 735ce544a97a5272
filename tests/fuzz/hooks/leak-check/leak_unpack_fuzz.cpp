// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is between us and libarchive, with a budget as the scan has one.
#include "hooks/leak-check/scan/file_scan.hpp"
#include "hooks/leak-check/scan/packed.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/toolchains/archive/packing.hpp"

#include <array>
#include <cstdlib>

using namespace hostpin;

std::vector<std::string> seeds() {
  const test::Packed files = {{"a/x", "some bytes"}, {"../y", ""}, {"l@", "/opt"}};
  return {test::packed("ustar", "gzip", files), test::packed("zip", "none", {files[0], files[1]}),
          test::gzipped("x"), test::packed("raw", "xz", {files[0]}), test::packed("ustar", "zstd", files)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  leak::ScanLimits limits;
  limits.decompressed = limits.ratio_from = 1 << 20;
  limits.members = 1000;
  leak::Budget budget(limits, size);
  (void)leak::each_packed_member(binary::Blob(std::string(reinterpret_cast<const char*>(data), size)),
                                 [&](leak::PackedMember& member) {
                                   (void)member.name();
                                   (void)member.link_target();
                                   (void)member.is_file();
                                   std::array<char, 4096> space{};
                                   for (;;) {
                                     const auto count = member.read(space);
                                     if (!count || *count == 0 || !budget.spend(*count))
                                       break;
                                     if (*count > space.size())
                                       std::abort();
                                   }
                                   return budget.spend_member() && !budget.is_spent();
                                 });
  return 0;
}
