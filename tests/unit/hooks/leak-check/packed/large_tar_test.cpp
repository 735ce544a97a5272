// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/packed/unpack.hpp"
#include "hooks/leak-check/scan/scan.hpp"
#include "tests/tree.hpp"
#include "tests/unit/hooks/leak-check/scan/packing.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

const std::string needle = "/opt/gcc-11";
constexpr std::size_t many = 600;

/// 3 MB that hardly get smaller, so that decoders hand out pieces of any size, in files with much padding
/// behind them, so that some pieces end in that.
test::Packed random_files() {
  std::mt19937 random(7);
  test::Packed files;
  for (std::size_t i = 0; i < many; ++i) {
    std::string bytes(5130 + i % 50, '\0');
    for (char& c : bytes)
      c = static_cast<char>(random() | 0x80U);
    bytes += '\n';
    bytes += needle;
    bytes += '\n';
    files.emplace_back(std::to_string(i), bytes);
  }
  return files;
}

struct Seen {
  std::size_t files = 0;
  std::vector<std::string> unseen;
};

Seen scanned(const std::string& file) {
  Seen seen;
  scan_tree({file}, NeedleSet::make({needle}).value(), {}, [&](ScannedFile&& one) {
    seen.files += one.found.size();
    for (const Unseen& unseen : one.unseen)
      seen.unseen.push_back(shown(unseen.where).append(" ").append(unseen.reason));
  });
  return seen;
}

} // namespace

TEST_CASE("in a large tar that is compressed each file is looked at or passed over, up to the last one") {
  const test::Tree tree;
  const test::Packed files = random_files();
  for (const std::string filter : {"none", "xz", "zstd", "lzma"}) {
    CAPTURE(filter);
    const bool lzma = filter == "lzma"; // which only its name tells
    const std::string plain = test::packed("ustar", lzma ? "none" : filter, files);
    const std::string tar = lzma ? test::xz_of(plain, "lzma", 1U << 20U) : plain;
    const std::string name = lzma ? "data.tar.lzma" : "data.tar";
    for (const std::string& bytes : {tar, test::ar_archive({{"debian-binary", "2.0\n"}, {name, tar}})}) {
      const Seen seen = scanned(tree.write(bytes == tar ? name : "packed", bytes));
      CHECK(seen.files == many);
      CHECK(seen.unseen == std::vector<std::string>());
    }
    std::size_t told = 0;
    const auto opened = unpack(Blob(tar), [&](const PackedMember& member) {
      told += member.name() == files.at(told).first ? 1U : 0U;
      return true;
    });
    CHECK(opened);
    CHECK(told == many);
  }
}
