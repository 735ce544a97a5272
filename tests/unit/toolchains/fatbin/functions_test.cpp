// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/binary/builder.hpp"
#include "tests/unit/toolchains/fatbin/pieces.hpp"
#include "toolchains/fatbin/functions.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::fatbin;
using namespace hostpin::binary;
using namespace hostpin::test;

namespace {

DeviceCodeHead head_of(const std::string& payload, DeviceCode code = DeviceCode::cubin) {
  return {.code = code, .architecture = 80, .size = payload.size(), .unpacked = payload.size()};
}

bool lacks(const std::string& payload, DeviceCode code = DeviceCode::cubin) {
  return lacks_functions(head_of(payload, code), payload);
}

/// As nvlink writes it for a link without relocatable code.
const std::string stub =
    ObjectBuilder().add(".symtab", std::string(24, '\0'), 2).add(".nv.callgraph", "x").build();

/// One LZ4 block of literals alone.
std::string lz4_of(const std::string& text) {
  std::string block("\xf0");
  std::size_t left = text.size() - 15;
  for (; left >= 255; left -= 255)
    block += '\xff';
  return block + static_cast<char>(left) + text;
}

/// A zstd frame of one block that is not compressed, of 256 bytes and more.
std::string zstd_of(const std::string& text) {
  return little(0xFD2FB528, 4) + '\x60' + little(text.size() - 256, 2) + little(1 | text.size() << 3U, 3) +
         text;
}

} // namespace

TEST_CASE("machine code has functions or variables, or it is a stub") {
  CHECK(lacks(stub));
  CHECK(lacks(stub + std::string(8, '\0')));
  for (const char* section : {".text.kernel", ".nv.global", ".nv.global.init", ".nv.constant3"})
    CHECK_FALSE(lacks(ObjectBuilder().add(".symtab", "x", 2).add(section, "x").build()));
  CHECK(lacks(ObjectBuilder(false, true).add(".nv.info", "x").build()));
  CHECK_FALSE(lacks(ObjectBuilder(false, true).add(".text.kernel", "x").build()));
}

TEST_CASE("large payloads are recognized by their names too, up to a limit") {
  const std::string lines(6000, 'x');
  CHECK(lacks(ObjectBuilder().add(".debug_line", lines).build()));
  CHECK_FALSE(lacks(ObjectBuilder().add(".debug_line", lines).add(".text.kernel", "x").build()));
  CHECK_FALSE(lacks(ObjectBuilder().add(".nv.info", std::string(most_bytes_without_functions, 'x')).build()));
  const std::string none = ".version 8.4\n.target sm_80, debug\n" + std::string(6000, ' ');
  CHECK(lacks(none, DeviceCode::ptx));
  CHECK_FALSE(lacks(none + ".entry k() {}", DeviceCode::ptx));
  CHECK_FALSE(lacks(std::string(6000, ' '), DeviceCode::ptx));
}

TEST_CASE("names after an ELF header are sections only according to the headers") {
  std::string bytes = stub;
  put(bytes, 0x40, std::string("\0.text.k\0", 10)); // as ptxas puts them, so that no more is looked at
  CHECK_FALSE(lacks(bytes));
  put(bytes, 0x40, std::string("x.text.k\0", 9));
  CHECK(lacks(bytes));
}

TEST_CASE("damaged code is not taken for a stub") {
  CHECK_FALSE(lacks(""));
  CHECK_FALSE(lacks("no ELF"));
  for (std::size_t size = 0; size < stub.size(); ++size)
    CHECK_FALSE(lacks(stub.substr(0, size)));
  for (const std::size_t at : {std::size_t{40}, std::size_t{58}, std::size_t{62}}) {
    std::string bad = stub;
    put(bad, at, little(0xffff, 2));
    CHECK_FALSE(lacks(bad));
  }
}

TEST_CASE("PTX has functions or variables, or only directives") {
  const std::string none = ".version 8.4\n.target sm_80\n.address_size 64\n";
  CHECK(lacks(none, DeviceCode::ptx));
  for (const char* code :
       {".visible .entry k() { ret; }", ".func f() {}", ".global .u32 x;", ".const .u32 x;"})
    CHECK_FALSE(lacks(none + code, DeviceCode::ptx));
  CHECK_FALSE(lacks("words", DeviceCode::ptx));
  CHECK_FALSE(lacks(none, DeviceCode::ltoir));
}

TEST_CASE("a stub is recognized in any compression") {
  const auto packed = [](const std::string& bytes, DevicePacking packing, std::size_t unpacked) {
    DeviceCodeHead head = head_of(bytes);
    head.packing = packing;
    head.unpacked = unpacked;
    return lacks_functions(head, bytes);
  };
  const std::string kernel = ObjectBuilder().add(".text.k", std::string(200, 'x')).build();
  const std::string large = ObjectBuilder().add(".debug_line", std::string(6000, 'x')).build();
  const std::string late =
      ObjectBuilder().add(".debug_line", std::string(6000, 'x')).add(".text.k", "x").build();
  for (const std::string* elf : {&stub, &kernel, &large, &late}) {
    const bool is_stub = elf == &stub || elf == &large;
    CHECK(packed(lz4_of(*elf), DevicePacking::lz4, elf->size()) == is_stub);
    CHECK(packed(zstd_of(*elf), DevicePacking::zstd, elf->size()) == is_stub);
    CHECK_FALSE(packed(lz4_of(*elf), DevicePacking::lz4, elf->size() - 1)); // more than its head says
  }
  const std::string larger = ObjectBuilder().add(".debug_line", std::string(9000, 'x')).build();
  CHECK(lacks(larger));
  CHECK_FALSE(packed(lz4_of(larger), DevicePacking::lz4, larger.size()));
  CHECK_FALSE(packed("damaged", DevicePacking::lz4, 9));
  CHECK_FALSE(packed("damaged", DevicePacking::zstd, 9));
}

TEST_CASE("small payloads are decompressed up to a limit, and damaged ones are not") {
  const auto lz4_block = [](std::string_view block, std::size_t limit = 100) {
    return decompressed(DevicePacking::lz4, block, limit).value_or("damaged");
  };
  const std::string repeated("\x32"
                             "abc\x03\x00\x10!",
                             8);
  CHECK(lz4_block(repeated) == "abcabcabc!");
  CHECK(lz4_block(repeated, 10) == "abcabcabc!");
  CHECK(lz4_block(repeated, 9) == "damaged");
  for (const std::size_t size : {0U, 1U, 3U, 5U, 6U, 7U}) // the first four bytes are a whole block
    CHECK(lz4_block(repeated.substr(0, size)) == "damaged");
  CHECK(lz4_block(std::string("\x32"
                              "abc\x04\x00\x10!",
                              8)) == "damaged"); // before its beginning
  CHECK(lz4_block(std::string("\x32"
                              "abc\x00\x00\x10!",
                              8)) == "damaged");
  CHECK(lz4_block(std::string(1, '\x1f') + "a" + std::string("\x01\x00", 2) + std::string(60, '\xff')) ==
        "damaged");
  CHECK(decompressed_lz4(repeated, 100, 4) == "abcabcabc"); // a whole sequence, and no more
  CHECK(decompressed_lz4(repeated.substr(0, 4), 100, 3) == "abc");
  CHECK_FALSE(decompressed_lz4(repeated, 2, 3));
  const std::string text(300, 'z');
  CHECK(decompressed(DevicePacking::zstd, zstd_of(text) + std::string(7, '\0'), 300) == text);
  CHECK_FALSE(decompressed(DevicePacking::zstd, zstd_of(text), 299));
  CHECK(decompressed(DevicePacking::none, "text", 4) == "text");
  CHECK_FALSE(decompressed(DevicePacking::none, "text", 3));
}
