// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any cutting of any content gives the same hits.
#include "hooks/leak-check/scan/content.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/toolchains/archive/packing.hpp"

#include <cstdlib>

using namespace hostpin;

namespace {

const leak::NeedleSet& needles() {
  static const leak::NeedleSet set = leak::NeedleSet::make({"/opt/gcc-11", "/opt/gcc-11/lib", "/lib",
                                                            "/nix/store/0123456789abcdfghijklmnpqrsvwxyz-g"})
                                         .value();
  return set;
}

std::string hits(leak::ContentScan& scan, const binary::Blob& blob, std::uint64_t cut) {
  leak::OneLocation locations({}, {});
  leak::HitCollector first, second;
  leak::LinkedIn linked_in;
  (void)scan.range(blob, 0, cut, locations, first, linked_in);
  (void)scan.range(blob, cut, blob.size(), locations, second, linked_in);
  first.append(std::move(second));
  std::string text;
  for (const leak::FoundNeedle& one : first.take(locations, "f")) {
    if (one.offsets.empty() || one.offsets.back() >= blob.size() || one.text.size() > 4096)
      std::abort();
    text += std::to_string(one.needle) + one.text + std::to_string(one.times) + '@' +
            std::to_string(one.offsets[0]);
  }
  return text;
}

} // namespace

std::vector<std::string> seeds() {
  return {"-L/opt/gcc-11/lib:/opt/x/../gcc-11 //opt//gcc-11 ",
          std::string("/\0o\0p\0t\0/\0g\0c\0c\0-\0"
                      "1\0"
                      "1\0",
                      22) +
              "0123456789abcdfghijklmnpqrsvwxyz-g /lib./lib"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const binary::Blob blob(std::string(reinterpret_cast<const char*>(data), size));
  static leak::ContentScan scan(needles()); // its buffer is large
  const std::string whole = hits(scan, blob, 0);
  for (const std::uint64_t cut : {size / 3, size / 2, size})
    if (hits(scan, blob, cut) != whole)
      std::abort();
  return 0;
}
