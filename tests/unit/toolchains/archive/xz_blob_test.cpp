// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/no_threads.hpp"
#include "toolchains/archive/xz_blob.hpp"

#include <cstdint>
#include <lzma.h>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

/// Bytes that do not compress to nothing, more than fit one buffer of the decoder.
std::string content() {
  constexpr std::size_t size = 1'000'003;
  std::string bytes(size, '\0');
  std::uint32_t state = 1;
  for (char& byte : bytes) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<char>((state >> 24U) & 0x1fU);
  }
  return bytes;
}

/// An .xz file of one stream; `block`: bytes in each of its blocks.
std::string compressed(const std::string& bytes, std::uint64_t block) {
  lzma_stream stream = LZMA_STREAM_INIT;
  lzma_mt options{};
  options.threads = 2;
  options.block_size = block;
  options.preset = 0;
  options.check = LZMA_CHECK_CRC32;
  REQUIRE(lzma_stream_encoder_mt(&stream, &options) == LZMA_OK);
  std::vector<std::uint8_t> out(2 * bytes.size() + 4096);
  stream.next_in = reinterpret_cast<const std::uint8_t*>(bytes.data());
  stream.avail_in = bytes.size();
  stream.next_out = out.data();
  stream.avail_out = out.size();
  REQUIRE(lzma_code(&stream, LZMA_FINISH) == LZMA_STREAM_END);
  const auto size = static_cast<std::ptrdiff_t>(stream.total_out);
  lzma_end(&stream);
  return {out.begin(), out.begin() + size};
}

struct Read {
  std::string bytes, error;
};

Read read(const std::string& file) {
  const binary::Blob blob(file);
  const auto opened = XzBlob::open(blob);
  if (!opened)
    return {{}, opened.error().message};
  Read result;
  for (;;) {
    const auto next = (*opened)->next();
    if (!next)
      return {std::move(result.bytes), next.error().message};
    if (next->empty())
      return result;
    result.bytes += *next;
  }
}

} // namespace

TEST_CASE("a file of any number of blocks and streams is decompressed in order") {
  const std::string bytes = content();
  for (const std::uint64_t block :
       {std::uint64_t{16'384}, std::uint64_t{300'000}, std::uint64_t{4'000'000}}) {
    const std::string file = compressed(bytes, block);
    const Read one = read(file), two = read(file + file);
    CHECK(one.error.empty());
    CHECK((one.bytes == bytes)); // without the parentheses a failure prints all of them
    CHECK((two.bytes == bytes + bytes));
  }
  const Read none = read(compressed("", 16'384));
  CHECK(none.error.empty());
  CHECK(none.bytes.empty());
}

TEST_CASE("a file that is cut short or changed is an error, whatever was read before") {
  const std::string file = compressed(content(), 300'000);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, std::size_t{20}, file.size() / 2, file.size() - 1})
    CHECK(read(file.substr(0, size)).error == "it is cut short");
  std::string changed = file;
  changed[file.size() / 2] = static_cast<char>(changed[file.size() / 2] ^ 1);
  CHECK(read(changed).error == "its compressed data is corrupt");
  CHECK(read(file + "no xz, but long enough").error == "its compressed data is corrupt");
  CHECK(read("no xz, but long enough for a header").error == "its compressed data is corrupt");
}

TEST_CASE("a file is decompressed also where no thread can be made, at first or later") {
  const std::string bytes = content(), file = compressed(bytes, 300'000);
  const binary::Blob blob(file);
  const auto later = XzBlob::open(blob);
  REQUIRE(later);
  std::string text((*later)->next().value_or(""));
  const test::NoThreads none;
  CHECK((read(file).bytes == bytes));
  for (auto next = (*later)->next(); next && !next->empty(); next = (*later)->next())
    text += *next;
  CHECK((text == bytes));
  CHECK(read(file.substr(0, file.size() / 2)).error == "it is cut short");
}
