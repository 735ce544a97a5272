// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "toolchains/binary/bytes.hpp"

#include <limits>
#include <sys/stat.h>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::binary;

namespace {

constexpr auto huge = std::numeric_limits<std::uint64_t>::max();

void check_reads(const InputFile& file, const std::string& content) {
  const Bytes bytes(file);
  REQUIRE(bytes.size() == content.size());
  CHECK(bytes.whole_file());
  CHECK(bytes.view(0, content.size()) == content);
  CHECK(bytes.view(1, 2) == content.substr(1, 2));
  CHECK(bytes.view(content.size(), 0) == "");
  CHECK_FALSE(bytes.view(1, content.size()));
  CHECK_FALSE(bytes.view(content.size() + 1, 0));
  CHECK_FALSE(bytes.view(huge, 2));
  CHECK_FALSE(bytes.view(2, huge));
  CHECK(bytes.little(0, 4) == 0x64636261);
  CHECK_FALSE(bytes.little(content.size() - 3, 4));
  CHECK(bytes.up_to(content.size() - 2, 10) == content.substr(content.size() - 2));
  CHECK(bytes.up_to(content.size() + 2, 10).empty());

  const auto part = bytes.part(2, 3);
  REQUIRE(part);
  CHECK_FALSE(part->whole_file());
  CHECK(part->view(0, 3) == content.substr(2, 3));
  CHECK_FALSE(part->view(0, 4));
  CHECK_FALSE(part->part(1, 3));
  CHECK_FALSE(bytes.part(3, huge));
  char two[2] = {};
  CHECK(part->read(1, two, 2));
  CHECK(std::string(two, 2) == content.substr(3, 2));
  CHECK_FALSE(part->read(2, two, 2));
}

} // namespace

TEST_CASE("bytes of a file and of memory are read alike, and none outside them") {
  const std::string content = "abcdefghij";
  check_reads(InputFile(content), content);
  const test::Tree scratch;
  const auto file = InputFile::open(scratch.write("file", content));
  REQUIRE(file);
  check_reads(**file, content);
  CHECK_FALSE((*file)->trouble());
}

TEST_CASE("views move through a large file, and are bounded") {
  std::string content;
  for (std::size_t i = 0; i < 200'000; ++i)
    content += static_cast<char>(i * 7 % 251);
  const test::Tree scratch;
  const auto file = InputFile::open(scratch.write("file", content));
  REQUIRE(file);
  const Bytes bytes(**file);
  for (const std::size_t at : {0UL, 1000UL, 1020UL, 150'000UL, 149'999UL, 199'990UL, 5UL})
    CHECK(bytes.view(at, 10) == content.substr(at, 10));
  CHECK(bytes.view(3, Bytes::view_limit) == content.substr(3, Bytes::view_limit));
  CHECK_FALSE(bytes.view(3, Bytes::view_limit + 1));
  CHECK(bytes.up_to(3, content.size()).size() == Bytes::view_limit);
}

TEST_CASE("only regular files are opened, and nothing is waited for") {
  const test::Tree scratch;
  const std::string fifo = scratch.path("fifo");
  scratch.write("other", "");
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  const auto from_fifo = InputFile::open(fifo);
  REQUIRE_FALSE(from_fifo);
  CHECK(from_fifo.error().message == "it cannot be read: it is not a regular file");
  CHECK_FALSE(InputFile::open("/dev/zero"));
  CHECK(InputFile::open("/").error().message == "it cannot be read: it is a directory");
  CHECK(InputFile::open(scratch.path("absent")).error().message ==
        "it cannot be read: No such file or directory");
}

TEST_CASE("a file that is written to or shortened while it is read is noticed") {
  const test::Tree scratch;
  const std::string path = scratch.write("file", std::string(50000, 'x'));
  const auto file = InputFile::open(path);
  REQUIRE(file);
  const Bytes bytes(**file);
  CHECK(bytes.view(0, 10));
  CHECK_FALSE((*file)->trouble());
  SUBCASE("longer") {
    scratch.write("file", std::string(50001, 'x'));
    REQUIRE((*file)->trouble());
    CHECK((*file)->trouble()->message == "it changed while it was read");
  }
  SUBCASE("the same size, another time") {
    std::filesystem::last_write_time(path,
                                     std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
    CHECK((*file)->trouble());
  }
  SUBCASE("shorter") {
    std::filesystem::resize_file(path, 100);
    CHECK_FALSE(bytes.view(40000, 10));
    REQUIRE((*file)->trouble());
    CHECK((*file)->trouble()->message == "it cannot be read: it was truncated while it was read");
  }
}

TEST_CASE("a small file is read once, and whether it changed meanwhile is known all the same") {
  const test::Tree scratch;
  const std::string path = scratch.write("file", std::string(5000, 'x'));
  const auto file = InputFile::open(path);
  REQUIRE(file);
  const Bytes bytes(**file);
  const auto kept = bytes.part(100, 4000)->stable_view(10, 20);
  REQUIRE(kept);
  CHECK(bytes.view(4990, 10)->data() == kept->data() + 4880);
  CHECK_FALSE(bytes.stable_view(4990, 11));
  SUBCASE("shorter") {
    std::filesystem::resize_file(path, 100);
    CHECK(bytes.view(4990, 10));
    REQUIRE((*file)->trouble());
    CHECK((*file)->trouble()->message == "it changed while it was read");
  }
  SUBCASE("shorter before anything was read of it") {
    const auto other = InputFile::open(path);
    std::filesystem::resize_file(path, 100);
    CHECK_FALSE(Bytes(**other).stable_view(0, 10));
    CHECK_FALSE(Bytes(**other).view(0, 10));
    CHECK((*other)->trouble());
  }
}

TEST_CASE("of a large file nothing is kept, of memory everything") {
  const test::Tree scratch;
  const std::string content(50000, 'x');
  const auto file = InputFile::open(scratch.write("file", content));
  REQUIRE(file);
  CHECK(Bytes(**file).view(0, 10));
  CHECK_FALSE(Bytes(**file).stable_view(0, 10));
  const InputFile memory(content);
  CHECK(Bytes(memory).stable_view(10, 40000)->data() == content.data() + 10);
}

TEST_CASE("hard links are the same file") {
  const test::Tree scratch;
  const std::string first = scratch.write("first", "x"), second = scratch.path("second");
  std::filesystem::create_hard_link(first, second);
  const auto one = InputFile::open(first), two = InputFile::open(second),
             other = InputFile::open("/proc/self/exe");
  REQUIRE((one && two && other));
  CHECK((*one)->identity() == (*two)->identity());
  CHECK_FALSE((*one)->identity() == (*other)->identity());
}
