// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/packed/decoder.hpp"
#include "tests/unit/hooks/leak-check/scan/packing.hpp"

#include <array>
#include <cstdint>
#include <lzma.h>
#include <string>
#include <zstd.h>

#include <doctest/doctest.h>

using namespace hostpin;
using test::xz_of;

namespace {

constexpr std::uint64_t megabyte = std::uint64_t{1} << 20U;

/// What comes out, with the error behind it in brackets.
std::string decoded(Decoder& decoder) {
  std::string all;
  std::array<char, 7> space{};
  for (;;) {
    const auto count = decoder.read(space);
    if (!count)
      return all + '[' + count.error().message + ']';
    if (*count == 0)
      return all;
    all.append(space.data(), *count);
  }
}

std::string decoded(const std::string& format, const std::string& bytes,
                    std::uint64_t limit = 32 * megabyte) {
  Memory memory(limit);
  const std::string all = decoded(*file_decoder(format, Blob(bytes), memory));
  CHECK(memory.left() == limit);
  return all;
}

/// Encoders round it up, and others need not.
std::string with_dictionary(std::string lzma, std::uint32_t size) {
  for (std::size_t i = 0; i < 4; ++i)
    lzma[1 + i] = static_cast<char>(size >> (8 * i));
  return lzma;
}

std::string zstd_of(const std::string& bytes, int window_log) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  ZSTD_outBuffer output{packed.data(), packed.size(), 0};
  ZSTD_inBuffer nothing{"", 0, 0}, input{bytes.data(), bytes.size(), 0};
  // A frame that begins before its end is known keeps its window.
  ZSTD_compressStream2(context, &output, &input, ZSTD_e_flush);
  ZSTD_compressStream2(context, &output, &nothing, ZSTD_e_end);
  ZSTD_freeCCtx(context);
  packed.resize(output.pos);
  return packed;
}

} // namespace

TEST_CASE("each stream and frame is held against the memory, not only the first") {
  constexpr std::uint32_t small = 1U << 20U, large = 1U << 26U;
  CHECK(decoded("xz", xz_of("one ", "xz", small) + xz_of("two", "xz", large)) ==
        "one [unpacking it takes 64M of memory; --memory 64M allows that]");
  CHECK(decoded("xz", xz_of("one ", "xz", small) + xz_of("two", "xz", large), 64 * megabyte) == "one two");
  CHECK(decoded("zstd", zstd_of("one ", 20) + zstd_of("two", 27)) ==
        "one [unpacking it takes 128M of memory; --memory 128M allows that]");
  CHECK(decoded("zstd", zstd_of("one ", 20) + zstd_of("two", 27), 128 * megabyte) == "one two");
}

TEST_CASE("the older format is opened whatever its properties and its dictionary") {
  for (const std::uint32_t dictionary : {100U, 5000U, 1234567U, 3U << 20U})
    for (const std::uint32_t bits : {0U, 3U, 4U})
      CHECK(decoded("lzma", with_dictionary(xz_of("some bytes", "lzma", 4096, bits), dictionary)) ==
            "some bytes");
  CHECK(decoded("lzma", with_dictionary(xz_of("x", "lzma", 4096), 100U << 20U)) ==
        "[unpacking it takes 100M of memory; --memory 100M allows that]");
  const std::string one = xz_of("one", "lzma", 4096);
  CHECK(decoded("lzma", one + one) == "one[it cannot be unpacked: something follows its end]");
}

TEST_CASE("a decoder within another has what that one left") {
  Memory memory(40 * megabyte);
  const auto outer = file_decoder("xz", Blob(xz_of("outer", "xz", 32U << 20U)), memory);
  std::array<char, 2> space{};
  REQUIRE(outer->read(space).has_value());
  const std::string inner = xz_of("inner", "xz", 16U << 20U);
  CHECK(decoded(*file_decoder("xz", Blob(inner), memory)) ==
        "[unpacking it takes 16M of memory beside 32M for what it lies in; --memory 48M allows that]");
}

TEST_CASE("what is cut at any byte is an error, and what is whole is none") {
  for (const auto& [format, whole] :
       {std::pair("xz", xz_of("some bytes", "xz", 4096)),
        std::pair("lzma", xz_of("some bytes", "lzma", 4096)), std::pair("zstd", zstd_of("some bytes", 20))}) {
    CAPTURE(format);
    CHECK(decoded(format, whole) == "some bytes");
    for (std::size_t size = 0; size < whole.size(); ++size) {
      CAPTURE(size);
      CHECK(decoded(format, whole.substr(0, size)).ends_with(']'));
    }
  }
}

TEST_CASE("a member of a zip ends where its own bytes do") {
  Memory memory(32 * megabyte);
  for (const std::string& packed : {xz_of("some bytes", "xz", 4096), zstd_of("some bytes", 20)}) {
    const std::string kind = packed.front() == '\xfd' ? "xz" : "zstd";
    CHECK(decoded(*member_decoder(kind, Blob(packed + "PK\1\2 and more"), memory)) == "some bytes");
    CHECK(decoded(kind, packed + "PK\1\2 and more").ends_with(']'));
  }
  CHECK(member_decoder("deflation", Blob(std::string()), memory) == nullptr);
  CHECK(file_decoder("gzip", Blob(std::string()), memory) == nullptr);
}
