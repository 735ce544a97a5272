// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/fatbin/pieces.hpp"
#include "toolchains/fatbin/writer.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::binary;
using namespace hostpin::test;

namespace {

constexpr std::uint64_t debug = 0x2, encrypted = 0x10000;

/// An uncompressed entry with this payload.
std::string plain_entry(unsigned kind, std::string payload, std::uint64_t flags = 0x11) {
  payload.resize((payload.size() + 7) / 8 * 8);
  std::string bytes = entry({kind, 90, flags, 0, 0, "a.cu", payload.size()});
  put(bytes, 0x48, payload);
  return bytes;
}

const std::string assembly =
    ".version 9.0\n.target sm_90\n.entry k()\n" + std::string(400, '/') + std::string(1, '\0');
const std::string machine_code = "\x7f"
                                 "ELF" +
                                 std::string(1020, 'c');

DeviceCodeHead head_in(const std::string& entry, CompressMode mode, bool all = false) {
  const auto changed = recompressed(entry, {mode, all});
  REQUIRE(changed);
  const auto head = device_code_head(*changed);
  REQUIRE(head);
  CHECK(changed->size() == head->header + head->payload);
  CHECK(head->payload % FatbinHead::alignment == 0);
  return *head;
}

} // namespace

TEST_CASE("a fatbin has the bytes of its entries after a header that a reader accepts") {
  const std::string one = plain_entry(2, machine_code), two = plain_entry(1, assembly);
  CHECK(fatbin_of_entries({}) == test::fatbin_of({}));
  const std::string both = fatbin_of_entries({one, two});
  CHECK(both.substr(FatbinHead::bytes) == one + two);
  CHECK(told(both) == "fatbin, 9.0 PTX x1 in 1, 9.0 machine code x1 in 1");
}

TEST_CASE("each mode compresses what fatbinary compresses in it") {
  const struct {
    unsigned kind;
    std::uint64_t flags;
    DevicePacking speed, balance, size;
  } rows[] = {{1, 0, DevicePacking::lz4, DevicePacking::zstd, DevicePacking::zstd},
              {2, 0, DevicePacking::none, DevicePacking::none, DevicePacking::zstd},
              {2, debug, DevicePacking::lz4, DevicePacking::zstd, DevicePacking::zstd}};
  for (const auto& row : rows) {
    const std::string before =
        plain_entry(row.kind, row.kind == 1 ? assembly : machine_code, 0x11 | row.flags);
    CHECK(head_in(before, CompressMode::none).packing == DevicePacking::none);
    CHECK(head_in(before, CompressMode::speed).packing == row.speed);
    CHECK(head_in(before, CompressMode::balance).packing == row.balance);
    CHECK(head_in(before, CompressMode::size).packing == row.size);
  }
}

TEST_CASE("relocatable machine code is compressed in all modes, other machine code also with compress-all") {
  std::string relocatable = machine_code;
  relocatable[16] = 1; // ET_REL
  const std::string object = plain_entry(2, relocatable), program = plain_entry(2, machine_code);
  CHECK(head_in(object, CompressMode::speed).packing == DevicePacking::lz4);
  CHECK(head_in(object, CompressMode::balance).packing == DevicePacking::zstd);
  CHECK(head_in(program, CompressMode::speed, true).packing == DevicePacking::lz4);
  CHECK(head_in(program, CompressMode::balance, true).packing == DevicePacking::zstd);
  CHECK(head_in(program, CompressMode::size, true).packing == DevicePacking::zstd);
  CHECK(head_in(program, CompressMode::none, true).packing == DevicePacking::none);
}

TEST_CASE("whatever the modes in between, the code and then the entry are the same again") {
  const auto modes = {CompressMode::none, CompressMode::speed, CompressMode::balance, CompressMode::size};
  for (const std::string& before :
       {plain_entry(1, assembly), plain_entry(2, machine_code), plain_entry(2, machine_code, 0x13)})
    for (const CompressMode first : modes)
      for (const CompressMode second : modes) {
        const auto there = recompressed(*recompressed(before, {first}), {second});
        REQUIRE(there);
        CHECK(*code_of_entry(*there) == *code_of_entry(before));
        CHECK(*recompressed(*there, {CompressMode::none}) == before);
      }
}

TEST_CASE("PTX is compressed with one zero byte at its end, whatever its padding") {
  CHECK(*code_of_entry(plain_entry(1, assembly + std::string(7, '\0'))) == assembly);
  CHECK(head_in(plain_entry(1, assembly), CompressMode::size).unpacked == assembly.size());
  CHECK(*code_of_entry(plain_entry(1, std::string("12345678"))) == "12345678");
}

TEST_CASE("code that does not become smaller stays uncompressed") {
  CHECK(head_in(plain_entry(2, "\x7f"
                               "ELF1234"),
                CompressMode::size)
            .packing == DevicePacking::none);
}

TEST_CASE("LTO-IR and unknown kinds of code are left unchanged") {
  for (const std::string& before : {plain_entry(8, machine_code), plain_entry(64, machine_code),
                                    plain_entry(8, machine_code, zstd | encrypted)})
    CHECK(*recompressed(before, {CompressMode::size}) == before);
  CHECK_FALSE(code_of_entry(plain_entry(8, machine_code, zstd | encrypted)));
}

TEST_CASE("a damaged entry is an error, and its claims take no memory") {
  const std::string whole = *recompressed(plain_entry(1, assembly), {CompressMode::speed});
  for (const std::size_t size : {std::size_t{0}, std::size_t{0x20}, whole.size() - 1})
    CHECK_FALSE(recompressed(whole.substr(0, size), {CompressMode::none}));
  for (const std::uint64_t claimed : {std::uint64_t{1}, ~std::uint64_t{0}, std::uint64_t{1} << 31U}) {
    std::string wrong = whole;
    put(wrong, 0x38, little(claimed, 8));
    CHECK_FALSE(recompressed(wrong, {CompressMode::none}));
  }
}

TEST_CASE("the modes have nvcc's names") {
  CHECK(compress_mode_named("speed") == CompressMode::speed);
  CHECK_FALSE(compress_mode_named("default"));
}
