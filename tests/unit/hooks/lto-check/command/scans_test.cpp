// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/command/scans.hpp"
#include "tests/tree.hpp"
#include "tests/unit/hooks/lto-check/bitstream/telling.hpp"
#include "tests/unit/toolchains/binary/builder.hpp"

#include <sys/stat.h>

#include <doctest/doctest.h>

using namespace hostpin;
using test::told;
using test::Tree;

namespace {

std::string told_of(Scans& scans, const std::string& path) {
  std::string text;
  const FileInputs& inputs = scans.of(path).inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    text += (text.empty() ? "" : "; ") + told(inputs.at(i));
  return text;
}

} // namespace

TEST_CASE("one look at a file tells what it is and what is in it") {
  const Tree scratch;
  const DiskFiles disk;
  Scans scans(disk, true);
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

TEST_CASE("files that say the same share it, and keep their names") {
  const Tree scratch;
  const DiskFiles disk;
  Scans scans(disk, true);
  const std::string one = scratch.write("one.o", test::gcc_object(13, 1));
  const std::string alike = scratch.write("alike.o", test::gcc_object(13, 1));
  const std::string other = scratch.write("other.o", test::gcc_object(12, 0));
  REQUIRE(scans.of(one).inputs.size() == 1);
  CHECK(&scans.of(one).inputs.content(0) == &scans.of(alike).inputs.content(0));
  CHECK(&scans.of(one).inputs.content(0) != &scans.of(other).inputs.content(0));
  CHECK(scans.of(one).inputs.at(0).path == one);
  CHECK(scans.of(alike).inputs.at(0).path == alike);
  const FileInputs& asked_by_another_string =
      scans.of(scratch.write("named by a string that is gone.o", test::gcc_object(11, 0))).inputs;
  CHECK(asked_by_another_string.at(0).path == scratch.path("named by a string that is gone.o"));
  CHECK(told_of(scans, other).starts_with("gcc-lto 12.0"));
}

TEST_CASE("an empty file is wrong unless a link names it") {
  const Tree scratch;
  const DiskFiles disk;
  const std::string path = scratch.write("empty.o", "");
  Scans in_link(disk, true), by_itself(disk, false);
  CHECK(told_of(in_link, path) == "none");
  CHECK(told_of(by_itself, path).starts_with("!"));
}

TEST_CASE("a file of zeros is wrong unless a link names it") {
  const Tree scratch;
  const DiskFiles disk;
  const std::string path = scratch.write("hole.o", std::string(5000, '\0'));
  Scans in_link(disk, true), by_itself(disk, false);
  CHECK(told_of(in_link, path) == "none");
  CHECK(told_of(by_itself, path).starts_with("!it begins with zeros"));
}

TEST_CASE("thousands of files read ahead are told as one by one") {
  const Tree scratch;
  const DiskFiles disk;
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
  Scans ahead(disk, true), singly(disk, true);
  ahead.read_ahead(inputs);
  for (const cmdline::LinkerInput& input : inputs) {
    CHECK(ahead.of(input.name).seen == singly.of(input.name).seen);
    CHECK(told_of(ahead, input.name) == told_of(singly, input.name));
  }
}

TEST_CASE("what was read is not read again") {
  const Tree scratch;
  const DiskFiles disk;
  Scans scans(disk, true);
  const std::string path = scratch.write("a.o", test::gcc_object(13, 1));
  const std::string before = told_of(scans, path);
  scratch.write("a.o", test::gcc_object(12, 0));
  CHECK(told_of(scans, path) == before);
}

TEST_CASE("of thousands of producers the first ones are told, and of the others what a judgement rests on") {
  const Tree scratch;
  const DiskFiles disk;
  constexpr std::size_t many = 5000;
  std::vector<std::pair<std::string, std::string>> members;
  for (std::size_t i = 0; i < many; ++i)
    members.emplace_back(std::to_string(i) + ".o", test::bitcode("LLVM19.1." + std::to_string(i)));
  members.emplace_back("again.o", test::bitcode("LLVM19.1.1"));
  members.emplace_back("other.o", test::bitcode("Other 19"));
  const std::string path = scratch.write("many.a", test::archive(members));
  Scans scans(disk, false);
  const FileInputs& inputs = scans.of(path).inputs;
  REQUIRE(inputs.size() == many + 2);
  CHECK(&inputs.content(many - 1) == &inputs.content(many - 2)); // kept once
  CHECK(inputs.content(7).streams.front().producer == "LLVM19.1.7");
  CHECK(inputs.content(many - 1).streams.front().producer == "LLVM");
  CHECK(inputs.content(many - 1).streams.front().major == 19U);
  CHECK(inputs.content(many).streams.front().producer == "LLVM19.1.1");
  CHECK(inputs.content(many + 1).streams.front().producer.empty());
}

TEST_CASE("an archive that costs more memory than there is counts as unreadable from there on") {
  const Tree scratch;
  const DiskFiles disk;
  std::vector<std::pair<std::string, std::string>> members;
  for (std::size_t i = 0; i < 1000; ++i)
    members.emplace_back(std::to_string(i) + ".o", test::gcc_object(12, 0));
  const std::string archive = scratch.write("many.a", test::archive(members));
  const std::string object = scratch.write("one.o", test::gcc_object(12, 0));
  Scans scans(disk, false, 20000);
  const FileInputs& inputs = scans.of(archive).inputs;
  CHECK(inputs.size() > 500);
  CHECK(inputs.size() < 1000);
  CHECK(told(inputs.at(inputs.size() - 1)).starts_with("!there is more in it than"));
  CHECK(inputs.at(inputs.size() - 1).member.empty());
  CHECK(scans.left() == 0);
  // Objects by themselves are counted by whoever names them.
  CHECK(told_of(scans, object).starts_with("gcc-lto 12.0"));
}
