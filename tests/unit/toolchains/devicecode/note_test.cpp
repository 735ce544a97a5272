// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/binary/builder.hpp"
#include "toolchains/devicecode/note.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::devicecode;

TEST_CASE("a note is read as it was written") {
  for (const Note& note : {Note{{{9, 0}}, "newest"}, Note{{{8, 0}, {12, 0}}, {}}, Note{{}, "none"}})
    CHECK(note_in(note_bytes(note)) == note);
  CHECK(note_bytes({{{8, 0}, {9, 0}}, "none"}).find("gpus=8.0;9.0\nptx=none\n") != std::string::npos);
  CHECK(note_bytes({{{9, 0}}, "newest"}).size() % 4 == 0);
}

TEST_CASE("unknown lines of a note are ignored, and other notes are not read") {
  std::string bytes = note_bytes({{{9, 0}}, "none"});
  const std::string known = bytes;
  bytes.replace(bytes.find("ptx=none"), 8, "new=more");
  CHECK(note_in(bytes) == Note{{{9, 0}}, {}});
  for (std::size_t size = 0; size < known.size() - 4; ++size)
    CHECK(!note_in(known.substr(0, size)));
  bytes = known;
  bytes[8] = 2; // its type
  CHECK(!note_in(bytes));
  bytes = known;
  bytes.replace(bytes.find("9.0"), 3, "new");
  CHECK(!note_in(bytes));
}

TEST_CASE("the note of a file is in its section") {
  const std::string note = note_bytes({{{9, 0}}, "none"});
  const std::string bytes = test::ObjectBuilder().kind(3).add(Note::section, note, 7).build();
  const binary::InputFile file(bytes), none(std::string_view("text"));
  CHECK(read_note(binary::Bytes(file)) == Note{{{9, 0}}, "none"});
  CHECK(!read_note(binary::Bytes(none)));
}
