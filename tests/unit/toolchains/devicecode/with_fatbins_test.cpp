// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/binary/linked_builder.hpp"
#include "toolchains/binary/elf_writer.hpp"
#include "toolchains/devicecode/note.hpp"
#include "toolchains/devicecode/with_fatbins.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::devicecode;
using namespace hostpin::test;

namespace {

std::string assembled(const std::vector<binary::Piece>& pieces, const std::string& source) {
  std::string bytes;
  for (const binary::Piece& piece : pieces)
    bytes += piece.from            ? source.substr(*piece.from, piece.size)
             : piece.bytes.empty() ? std::string(piece.size, '\0')
                                   : piece.bytes;
  return bytes;
}

/// The file as `hostpin fatbin slim` leaves it: with a note.
std::string with_note(const std::string& bytes, const Note& note) {
  const binary::InputFile file(bytes);
  const auto headers = binary::read_elf_headers(binary::Bytes(file));
  REQUIRE(headers);
  binary::ElfChange change;
  change.section = binary::AddedSection{Note::section, SHT_NOTE, note_bytes(note)};
  const auto pieces = binary::changed_elf(binary::Bytes(file), **headers, change);
  REQUIRE(pieces);
  return assembled(*pieces, bytes);
}

std::string rewritten(const std::string& bytes, const std::vector<std::string>& fatbins,
                      const std::vector<gpus::Capability>& more) {
  const binary::InputFile file(bytes);
  const auto code = read_device_code(binary::Bytes(file));
  REQUIRE(code);
  const auto result = with_fatbins(binary::Bytes(file), **code, fatbins, more);
  REQUIRE(result);
  return assembled(result->pieces(), bytes);
}

/// The fatbins that the wrappers point to, or what is wrong with the file.
std::vector<std::string> fatbins_of(const std::string& bytes) {
  const binary::InputFile file(bytes);
  const auto code = read_device_code(binary::Bytes(file));
  if (!code || !*code)
    return {code ? "no device code" : code.error().what};
  std::vector<std::string> fatbins;
  for (const DeviceContent::Part& part : (**code).fatbins) {
    const Fatbin& fatbin = (**code).image->sections[part.section].fatbins[part.fatbin];
    fatbins.push_back(loaded(bytes, fatbin.address, fatbin.size()));
  }
  return fatbins;
}

} // namespace

TEST_CASE("fatbins that become larger are found by their wrappers, whether or not there was a note") {
  LinkedBuilder file;
  file.fatbins = {fatbin_of({{2, 90}}), fatbin_of({{2, 90}, {1, 90}})};
  const std::vector<std::string> larger{fatbin_of({{2, 80, 0, 0, 0, {}, 9000}, {2, 90}}),
                                        fatbin_of({{2, 80}, {2, 90}, {1, 90}})};
  for (const Pointers pointers : {Pointers::rela, Pointers::rela_in_place, Pointers::relr}) {
    file.pointers = pointers;
    const std::string plain = file.build(), noted = with_note(plain, {{{9, 0}}, "newest"});
    CHECK(fatbins_of(rewritten(plain, larger, {{8, 0}})) == larger);
    const std::string merged = rewritten(noted, larger, {{8, 0}});
    CHECK(fatbins_of(merged) == larger);
    const binary::InputFile changed(merged);
    CHECK(read_note(binary::Bytes(changed)) == Note{{{8, 0}, {9, 0}}, "newest"});
  }
}
