// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lto_cuts FILE...: cuts each file at many places; what is left must tell no stream that the whole file does
// not have, and be unreadable where it lost any. Archives are not for this: the first members of one are an
// archive too.
#include "hooks/lto-check/bitstream/bitstream.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

namespace {

using namespace hostpin;

lto::LtoInput scanned(std::string_view bytes) {
  lto::LtoInput result;
  lto::scan_lto_bytes("cut", bytes, lto::llvm_producer,
                      [&](lto::LtoInput&& input) { result = std::move(input); });
  return result;
}

bool holds(const lto::LtoInput& whole, const lto::LtoInput& cut) {
  const bool subset = std::all_of(cut.streams.begin(), cut.streams.end(), [&](const lto::Bitstream& stream) {
    return std::find(whole.streams.begin(), whole.streams.end(), stream) != whole.streams.end();
  });
  return subset && (cut.unreadable || cut.streams.size() == whole.streams.size());
}

} // namespace

int main(int argc, char** argv) {
  std::size_t cuts = 0;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const lto::LtoInput whole = scanned(bytes);
    if (whole.streams.empty() || whole.unreadable) {
      std::printf("%s: nothing to cut\n", argv[i]);
      return 1;
    }
    const std::size_t step = 1 + bytes.size() / 3000;
    for (std::size_t size = 0; size < bytes.size();
         size += size < 300 || size + 300 > bytes.size() ? 1 : step) {
      ++cuts;
      if (holds(whole, scanned(bytes.substr(0, size))))
        continue;
      std::printf("%s cut to %zu bytes tells something else\n", argv[i], size);
      return 1;
    }
  }
  std::printf("%zu cuts of %d files\n", cuts, argc - 1);
  return cuts == 0 ? 1 : 0;
}
