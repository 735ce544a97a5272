// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/binary/fatbin_pieces.hpp"
#include "toolchains/devicecode/repack.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::devicecode;
using fatbin::Compression;
using fatbin::CompressMode;

namespace {

/// Machine code of a program, uncompressed.
std::string plain(std::size_t size) {
  const std::string code = "\x7f"
                           "ELF" +
                           std::string(size - 4, static_cast<char>(size));
  std::string bytes = test::entry({2, 90, 0x11, 0, 0, "a.cu", code.size()});
  test::put(bytes, 0x48, code);
  return bytes;
}

/// A file of fatbins with as many entries each.
std::string file_of(std::size_t fatbins, std::size_t entries) {
  std::string file;
  for (std::size_t i = 0; i < fatbins; ++i) {
    std::vector<std::string> all;
    for (std::size_t entry = 0; entry < entries; ++entry)
      all.push_back(plain(800 + 8 * i + 80 * entry));
    file += fatbin::fatbin_of_entries({all.begin(), all.end()});
  }
  return file;
}

Result<Repacked> repacked(const std::string& bytes, Compression compression, std::size_t threads) {
  const binary::InputFile file(bytes);
  const auto code = read_device_code(binary::Bytes(file));
  REQUIRE(code);
  REQUIRE(*code);
  return devicecode::repacked(binary::Bytes(file), **code, compression, threads);
}

std::string joined(const std::vector<std::string>& fatbins) {
  std::string all;
  for (const std::string& one : fatbins)
    all += one;
  return all;
}

} // namespace

TEST_CASE("any number of threads writes the same fatbins") {
  const std::string file = file_of(20, 30);
  for (const CompressMode mode : {CompressMode::speed, CompressMode::balance, CompressMode::size}) {
    const auto one = repacked(file, {mode, true}, 1);
    REQUIRE(one);
    CHECK(one->fatbins.size() == 20);
    CHECK(one->entries == 600);
    CHECK(one->after * 4 < one->before);
    for (const std::size_t threads : {2U, 7U, 1000U}) {
      const auto several = repacked(file, {mode, true}, threads);
      REQUIRE(several);
      CHECK(several->fatbins == one->fatbins);
    }
    const auto again = repacked(joined(one->fatbins), {CompressMode::none}, 3);
    REQUIRE(again);
    CHECK(joined(again->fatbins) == file);
  }
}

TEST_CASE("no fatbins are made if a mode would decompress machine code and the result would be larger") {
  const auto small = repacked(file_of(3, 4), {CompressMode::size}, 1);
  REQUIRE(small);
  for (const CompressMode mode : {CompressMode::speed, CompressMode::balance}) {
    const auto refused = repacked(joined(small->fatbins), {mode}, 2);
    REQUIRE(refused);
    CHECK(refused->inflates);
    CHECK(refused->fatbins.empty());
    const auto all = repacked(joined(small->fatbins), {mode, true}, 2);
    REQUIRE(all);
    CHECK_FALSE(all->inflates);
    CHECK(all->fatbins.size() == 3);
    CHECK_FALSE(repacked(file_of(3, 4), {mode}, 2)->inflates); // is uncompressed already
  }
  CHECK_FALSE(repacked(joined(small->fatbins), {CompressMode::none}, 2)->inflates);
}

TEST_CASE("the first damaged entry is reported, whatever the number of threads") {
  const auto small = repacked(file_of(5, 6), {CompressMode::size}, 1);
  REQUIRE(small);
  std::vector<std::string> fatbins = small->fatbins;
  for (const std::size_t damaged : {2U, 4U})
    test::put(fatbins[damaged], binary::FatbinHead::bytes + 0x38, test::little(7, 8)); // another size
  for (const std::size_t threads : {1U, 2U, 9U}) {
    const auto read = repacked(joined(fatbins), {CompressMode::none}, threads);
    REQUIRE_FALSE(read);
    CHECK(read.error().message.find("(fatbin 3)") != std::string::npos);
  }
}

TEST_CASE(
    "of an entry that inflates and a damaged one, the first in the file counts, with any number of threads") {
  const std::string large = plain(std::size_t{8} << 20U), little = plain(800);
  for (const bool damaged_first : {false, true}) {
    CAPTURE(damaged_first);
    const auto first = damaged_first ? little : large, second = damaged_first ? large : little;
    const auto small = repacked(fatbin::fatbin_of_entries({first}) + fatbin::fatbin_of_entries({second}),
                                {CompressMode::size}, 1);
    REQUIRE(small);
    std::vector<std::string> fatbins = small->fatbins;
    test::put(fatbins[damaged_first ? 0 : 1], binary::FatbinHead::bytes + 0x38, test::little(7, 8));
    for (const std::size_t threads : {1U, 2U, 8U}) {
      CAPTURE(threads);
      const auto read = repacked(joined(fatbins), {CompressMode::speed}, threads);
      CHECK(read.has_value() == !damaged_first);
      CHECK((!read || read->inflates));
    }
  }
}
