// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first byte says which kind of stream the rest is.
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/toolchains/archive/packing.hpp"
#include "toolchains/binary/decompress.hpp"

#include <array>
#include <cstdlib>

using namespace hostpin;

namespace {

/// Wants a megabyte at most, as a budget would.
class Bounded final : public binary::Target {
public:
  std::span<char> space() override { return space_; }
  bool advance(std::size_t count) override {
    if (count > space_.size())
      std::abort();
    return (seen_ += count) < (std::size_t{1} << 20U);
  }

private:
  std::array<char, 5000> space_{};
  std::size_t seen_ = 0;
};

} // namespace

std::vector<std::string> seeds() {
  const std::string text = std::string(300, 'x') + "/opt/gcc-11" + std::string(40, 'y');
  const std::string gzip = test::gzipped(text);
  return {'\0' + std::string("\x78\x9c") + gzip.substr(10, gzip.size() - 18) + std::string(4, '\0'),
          '\1' + test::packed("raw", "zstd", {{"x", text}}),
          "\2\x3f"
          "abc\3" +
              std::string(1, '\0') +
              "\xff\x10"
              "\x30"
              "end"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0)
    return 0;
  const binary::Blob packed(std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  binary::Inflater inflater;
  Bounded target;
  if (data[0] % 3 == 0)
    (void)inflater.zlib(packed, target);
  else if (data[0] % 3 == 1)
    (void)inflater.zstd(packed, target);
  else
    (void)inflater.lz4(packed, target);
  return 0;
}
