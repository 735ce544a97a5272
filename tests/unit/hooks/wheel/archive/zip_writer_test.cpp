// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/archive/zip_writer.hpp"
#include "tests/unit/hooks/wheel/archive/written.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::wheel;

namespace {

constexpr std::int64_t moment = 1700000000; // 2023-11-14 22:13:20 UTC

const auto ignore = [](std::string_view) {};

/// Text that deflate finds matches in across blocks of 1 MB.
std::string long_text() {
  std::string text;
  for (int i = 0; text.size() < (std::size_t{5} << 19U); ++i)
    text += std::to_string(i * 7919) + " of a line that is much like the others\n";
  return text;
}

std::string zip_of(const std::string& content, const Compression& how) {
  return test::written([&](int descriptor) {
    ZipWriter zip(descriptor, moment);
    REQUIRE(zip.compress({"a/b.txt"}, binary::Blob(content), how, ignore));
    REQUIRE(zip.finish());
  });
}

/// The only member of a zip, decompressed; what is wrong with it otherwise.
std::string content_of(const std::string& bytes) {
  const binary::Blob zip(bytes);
  const auto directory = central_directory(zip);
  if (!directory)
    return directory.error().message;
  REQUIRE(directory->size() == 1);
  const auto data = packed_data(zip, directory->front());
  if (!data)
    return data.error().message;
  const auto content = decompressed(*data, "/tmp");
  return content ? *content->all(~std::size_t{0}) : content.error().message;
}

} // namespace

TEST_CASE("what is written is read back, compressed and stored, of any size") {
  for (const std::string& text : {std::string(), std::string("short"), long_text()})
    for (const int level : {0, 1, 9})
      CHECK(content_of(zip_of(text, {level, 2})) == text);
}

TEST_CASE("the bytes do not depend on the number of threads") {
  const std::string text = long_text();
  const std::string one = zip_of(text, {6, 1});
  CHECK(one.size() < text.size() / 3);
  CHECK(zip_of(text, {6, 2}) == one);
  CHECK(zip_of(text, {6, 5}) == one);
}

TEST_CASE("members have the given time in UTC, their mode, and names in UTF-8") {
  const std::string zip = test::written([&](int descriptor) {
    ZipWriter writer(descriptor, moment);
    REQUIRE(writer.compress({"bin/tool", true}, binary::Blob(std::string("x")), {}, ignore));
    REQUIRE(writer.compress({"d\xc3\xa9", false}, binary::Blob(std::string("y")), {}, ignore));
    REQUIRE(writer.finish());
  });
  const auto entries = central_directory(binary::Blob(zip));
  REQUIRE(entries);
  REQUIRE(entries->size() == 2);
  CHECK((*entries)[0].is_executable);
  CHECK_FALSE((*entries)[1].is_executable);
  CHECK((*entries)[1].is_utf8);
  const std::string date = "\xaa\xb1\x6e\x57"; // 22:13:20; 14 November, 43 years after 1980
  CHECK(zip.substr(10, 4) == date);
  CHECK(zip.substr(zip.rfind("PK\1\2") + 12, 4) == date);
}

TEST_CASE("times that zip does not have become the nearest one") {
  for (const std::int64_t time : {std::int64_t{0}, std::int64_t{315532800}}) {
    const std::string zip = test::written([&](int descriptor) {
      ZipWriter writer(descriptor, time);
      REQUIRE(writer.compress({"a"}, binary::Blob(), {}, ignore));
    });
    CHECK(zip.substr(10, 4) == std::string("\0\0\x21\0", 4)); // 1980-01-01 00:00
  }
}

TEST_CASE("a member that is copied keeps its compressed bytes") {
  const std::string first = zip_of(long_text(), {9, 1});
  const binary::Blob zip(first);
  const auto directory = central_directory(zip);
  REQUIRE(directory);
  const auto data = packed_data(zip, directory->front());
  REQUIRE(data);
  const std::string second = test::written([&](int descriptor) {
    ZipWriter writer(descriptor, moment);
    REQUIRE(writer.copy({"a/b.txt"}, *data));
    REQUIRE(writer.finish());
  });
  CHECK(second == first);
}

TEST_CASE("a zip of more than 65535 members has the records of zip64") {
  constexpr std::size_t count = 66000;
  const std::string zip = test::written([&](int descriptor) {
    ZipWriter writer(descriptor, moment);
    for (std::size_t i = 0; i < count; ++i)
      REQUIRE(writer.compress({std::to_string(i)}, binary::Blob(), {}, ignore));
    REQUIRE(writer.finish());
  });
  const auto entries = central_directory(binary::Blob(zip));
  REQUIRE(entries);
  CHECK(entries->size() == count);
}

TEST_CASE("damaged data is not decompressed to something else") {
  for (const int level : {0, 6}) {
    std::string zip = zip_of("0123456789 0123456789 0123456789", {level, 1});
    zip[30 + 7 + 8] = static_cast<char>(zip[30 + 7 + 8] ^ 1); // after the header and the name
    CHECK(content_of(zip).starts_with("it is damaged"));
  }
  std::string zip = zip_of("text", {0, 1});
  zip[8] = zip[zip.rfind("PK\1\2") + 10] = 12; // bzip2
  CHECK(content_of(zip).find("method 12") != std::string::npos);
}
