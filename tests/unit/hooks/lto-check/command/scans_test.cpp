// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/command/scans.hpp"
#include "tests/tree.hpp"
#include "tests/unit/hooks/lto-check/bitstream/telling.hpp"
#include "tests/unit/toolchains/binary/builder.hpp"

#include <sys/stat.h>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::lto;
using test::told;
using test::Tree;

namespace {

std::string told_of(Scans& scans, const std::string& path) {
  std::string text;
  for (const LtoInput& input : scans.of(path).inputs)
    text += (text.empty() ? "" : "; ") + told(input);
  return text;
}

} // namespace

TEST_CASE("one look at a file tells what it is and what is in it") {
  const Tree scratch;
  const DiskFiles disk;
  MemoryBound bound;
  Scans scans(disk, true, bound);
  const std::string object = scratch.write("a.o", test::gcc_object(13, 1));
  const std::string text = scratch.write("libm.so", "INPUT ( -lgcc )\n");
  const std::string fifo = scratch.path("fifo");
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(scans.of(object).seen == Seen::other);
  CHECK(told_of(scans, object).starts_with("gcc-lto 13.1"));
  CHECK(scans.of(text).seen == Seen::text);
  CHECK(told_of(scans, text) == "none");
  CHECK(scans.of(fifo).seen == Seen::other);
  CHECK(told_of(scans, fifo) == "!it cannot be read: it is not a regular file");
  CHECK(scans.of(scratch.path("")).seen == Seen::directory);
  CHECK(scans.of(scratch.path("absent")).seen == Seen::nothing);
  CHECK(scans.of(scratch.path("absent")).inputs.empty());
}

TEST_CASE("files with the same content are reported under their own names") {
  const Tree scratch;
  const DiskFiles disk;
  MemoryBound bound;
  Scans scans(disk, true, bound);
  for (const char* const name : {"one.o", "equal.o"}) {
    const std::string path = scratch.write(name, test::gcc_object(13, 1));
    REQUIRE(scans.of(path).inputs.size() == 1);
    CHECK(scans.of(path).inputs.front().path == path);
  }
}

TEST_CASE("an empty file is wrong unless a link names it") {
  const Tree scratch;
  const DiskFiles disk;
  MemoryBound bound;
  const std::string path = scratch.write("empty.o", "");
  Scans in_link(disk, true, bound), by_itself(disk, false, bound);
  CHECK(told_of(in_link, path) == "none");
  CHECK(told_of(by_itself, path).starts_with("!"));
}

TEST_CASE("a file of zeros is wrong unless a link names it") {
  const Tree scratch;
  const DiskFiles disk;
  MemoryBound bound;
  const std::string path = scratch.write("hole.o", std::string(5000, '\0'));
  Scans in_link(disk, true, bound), by_itself(disk, false, bound);
  CHECK(told_of(in_link, path) == "none");
  CHECK(told_of(by_itself, path).starts_with("!it begins with zeros"));
}

TEST_CASE("thousands of files read ahead are told as one by one") {
  const Tree scratch;
  const DiskFiles disk;
  MemoryBound bound;
  std::vector<cmdline::LinkerInput> inputs;
  for (std::uint16_t i = 0; i < 1500; ++i) {
    const std::string name = std::to_string(i);
    cmdline::LinkerInput input;
    input.name = scratch.path(name);
    input.library = i % 50 == 1;
    if (i % 7 != 0)
      scratch.write(name, i % 3 == 0 ? "text" : test::gcc_object(i % 20 + 1, i % 4));
    inputs.push_back(input);
  }
  inputs.push_back(inputs[8]);
  Scans ahead(disk, true, bound), singly(disk, true, bound);
  ahead.read_ahead(inputs);
  for (const cmdline::LinkerInput& input : inputs) {
    CHECK(ahead.of(input.name).seen == singly.of(input.name).seen);
    CHECK(told_of(ahead, input.name) == told_of(singly, input.name));
  }
}

TEST_CASE("what was read is not read again") {
  const Tree scratch;
  const DiskFiles disk;
  MemoryBound bound;
  Scans scans(disk, true, bound);
  const std::string path = scratch.write("a.o", test::gcc_object(13, 1));
  const std::string before = told_of(scans, path);
  scratch.write("a.o", test::gcc_object(12, 0));
  CHECK(told_of(scans, path) == before);
}

TEST_CASE("each member of an archive is reported with its own producer") {
  const Tree scratch;
  const DiskFiles disk;
  MemoryBound bound;
  constexpr std::size_t many = 5000;
  std::vector<std::pair<std::string, std::string>> members;
  for (std::size_t i = 0; i < many; ++i)
    members.emplace_back(std::to_string(i) + ".o", test::bitcode("LLVM19.1." + std::to_string(i)));
  Scans scans(disk, false, bound);
  const std::vector<LtoInput>& inputs = scans.of(scratch.write("many.a", test::archive(members))).inputs;
  REQUIRE(inputs.size() == many);
  CHECK(inputs[7].streams.front().producer == "LLVM19.1.7");
  CHECK(inputs.back().streams.front().producer == "LLVM19.1.4999");
  CHECK(inputs.back().member == std::vector<std::string>{"4999.o"});
}

TEST_CASE("an archive whose members do not fit into memory is unreadable, and the other inputs are not") {
  const Tree scratch;
  const DiskFiles disk;
  std::vector<std::pair<std::string, std::string>> members;
  for (int i = 0; i < 100; ++i)
    members.emplace_back(std::to_string(i) + ".o", test::bitcode("LLVM19.1.7"));
  const std::string many = scratch.write("many.a", test::archive(members));
  const std::string few = scratch.write("few.a", test::archive({members[0], members[1]}));
  MemoryBound bound(50'000);
  Scans scans(disk, false, bound);
  CHECK(told_of(scans, many).starts_with("!it has more members than fit into memory"));
  CHECK(scans.of(many).inputs.front().path == many);
  CHECK(scans.of(few).inputs.size() == 2);
  CHECK(scans.of(few).inputs.front().streams.size() == 1);
}
