// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/shipped_data.hpp"
#include "tests/unit/toolchains/binary/builder.hpp"
#include "tests/unit/toolchains/binary/linked_builder.hpp"
#include "toolchains/devicecode/note.hpp"
#include "toolchains/devicecode/slim.hpp"
#include "toolchains/gpus/item.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::devicecode;
using namespace hostpin::test;
using binary::Reading;

namespace {

const std::vector<gpus::Gpu>& gpu_table() {
  static const auto rows = gpus::load_gpus(DiskFiles(), hostpin::test::shipped_data()).value();
  return rows;
}

struct Outcome {
  std::string refused; ///< empty if it is not
  Slimmed slimmed;
  std::string bytes; ///< of the new file
};

std::string assembled(const std::vector<binary::Piece>& pieces, const std::string& source) {
  std::string bytes;
  for (const binary::Piece& piece : pieces)
    bytes += piece.from            ? source.substr(*piece.from, piece.size)
             : piece.bytes.empty() ? std::string(piece.size, '\0')
                                   : piece.bytes;
  return bytes;
}

Outcome slim(const std::string& bytes, const std::string& list, PtxPolicy ptx = PtxPolicy::newest) {
  const binary::InputFile file(bytes);
  const auto image = read_image(binary::Bytes(file));
  if (!image || !*image)
    return {image ? "no image" : image.error().what, {}, {}};
  Keeping keeping{gpu_table(), {}, ptx};
  for (const std::string_view item : gpus::items_of(list))
    keeping.targets.push_back({gpus::listed_capability(item)->capability, true, false});
  auto slimmed = slim_linked(binary::Bytes(file), **image, keeping);
  if (!slimmed)
    return {slimmed.error().what, {}, {}};
  return {"", *slimmed, assembled(slimmed->pieces, bytes)};
}

/// The entries of each fatbin, such as `2:90 1:90 | 2:90`, in the order of the wrappers.
std::string entries_of(const std::string& bytes) {
  const binary::InputFile file(bytes);
  const auto image = read_image(binary::Bytes(file));
  if (!image || !*image)
    return "!" + (image ? "" : image.error().what);
  std::string text;
  for (std::size_t wrapper = 0; wrapper < (**image).wrappers.size(); ++wrapper) {
    text += wrapper == 0 ? "" : " |";
    for (const DeviceSection& section : (**image).sections)
      for (const Fatbin& fatbin : section.fatbins)
        if (fatbin.address == (**image).wrappers[wrapper].fatbin)
          for (const binary::EmbeddedCode& entry : fatbin.entries)
            text += (text.empty() ? "" : " ") + std::to_string(static_cast<int>(entry.code)) + ":" +
                    std::to_string(entry.architecture);
  }
  return text;
}

constexpr std::size_t much = 9000;

LinkedBuilder three_fatbins() {
  LinkedBuilder file;
  file.fatbins = {
      fatbin_of({{2, 80, 0, 0, 0, {}, much}, {2, 90, 0, 0, 0, "a.cu", 5000}, {1, 90, 0, 0, 0, {}, much}}),
      fatbin_of({{2, 80, 0, 0, 0, {}, much}}),
      fatbin_of({{2, 80, 0, 0, 0, {}, much}, {2, 90, 0, 0, 0, "b.cu", 6000}})};
  return file;
}

/// Everything but device code is at the same addresses.
void check_host(LinkedBuilder& file, const std::string& before, const std::string& after) {
  for (const char* name : {".rodata", ".eh_frame", ".data"}) {
    const auto& section = file.section(name);
    CHECK_MESSAGE(loaded(after, section.address, section.content.size()) ==
                      loaded(before, section.address, section.content.size()),
                  name);
  }
}

} // namespace

TEST_CASE("what is kept is found through the wrappers, however their pointers are stored") {
  for (const Pointers pointers : {Pointers::plain, Pointers::rela, Pointers::rela_in_place, Pointers::relr})
    for (const bool separate : {true, false})
      for (const std::uint64_t page : {0x1000U, 0x10000U}) {
        LinkedBuilder file = three_fatbins();
        file.pointers = pointers;
        file.separate = separate;
        file.page = page;
        file.fatbins[1] = fatbin_of({{2, 80, 0, 0, 0, {}, 70000}});
        if (pointers == Pointers::plain)
          file.type = ET_EXEC, file.base = 0x400000;
        const std::string bytes = file.build();
        const Outcome result = slim(bytes, "9.0", PtxPolicy::none);
        REQUIRE(result.refused.empty());
        CHECK(result.slimmed.changed);
        CHECK(entries_of(result.bytes) == "1:90 | | 1:90");
        CHECK(result.bytes.size() + page < bytes.size() + 256); // the note is new
        CHECK(result.slimmed.after == result.bytes.size());
        CHECK(result.slimmed.before == bytes.size());
        check_host(file, bytes, result.bytes);
      }
}

TEST_CASE("entries that stay are the same bytes") {
  LinkedBuilder file = three_fatbins();
  const Outcome result = slim(file.build(), "9.0");
  REQUIRE(result.refused.empty());
  CHECK(entries_of(result.bytes) == "1:90 0:90 | | 1:90");
  CHECK(result.bytes.find(entry({2, 90, 0, 0, 0, "a.cu", 5000})) != std::string::npos);
  CHECK(result.bytes.find(entry({2, 90, 0, 0, 0, "b.cu", 6000})) != std::string::npos);
}

TEST_CASE("a fatbin that a GPU has nothing in is reported with the name of its source") {
  LinkedBuilder file = three_fatbins();
  file.fatbins[1] = fatbin_of({{2, 80, 0, 0, 0, "old.cu", 90000}});
  const Outcome result = slim(file.build(), "8.0;9.0");
  REQUIRE(result.refused.empty());
  REQUIRE(result.slimmed.unserved.size() == 1);
  CHECK(result.slimmed.unserved[0].index == 1);
  CHECK(result.slimmed.unserved[0].gpus == std::vector<gpus::Capability>{{9, 0}});
  CHECK(result.slimmed.unserved[0].lost.empty());
  CHECK(result.slimmed.unserved[0].names == std::vector<std::string>{"old.cu"});
}

TEST_CASE("a file that keeps everything stays as it is") {
  const std::string bytes = three_fatbins().build();
  const Outcome result = slim(bytes, "8.0;9.0");
  CHECK(!result.slimmed.changed);
  CHECK(result.bytes == bytes);
}

TEST_CASE("a file is slimmed again, and nothing is left to cut the third time") {
  LinkedBuilder file = three_fatbins();
  file.fatbins.push_back(fatbin_of({{2, 75, 0, 0, 0, {}, 90000}, {2, 80, 0, 0, 0, {}, 90000}}));
  const std::string bytes = file.build();
  const Outcome first = slim(bytes, "8.0;9.0"), second = slim(first.bytes, "9.0"),
                third = slim(second.bytes, "9.0");
  REQUIRE(second.refused.empty());
  CHECK(first.bytes.size() < bytes.size());
  CHECK(second.bytes.size() < first.bytes.size());
  CHECK(!third.slimmed.changed);
  CHECK(entries_of(first.bytes) == "1:80 1:90 0:90 | 1:80 | 1:80 1:90 | 1:80");
  CHECK(entries_of(second.bytes) == entries_of(slim(bytes, "9.0").bytes));
  check_host(file, bytes, second.bytes);
}

TEST_CASE("the file notes the GPUs that all of it serves") {
  LinkedBuilder file = three_fatbins();
  file.fatbins.push_back(fatbin_of({{2, 75, 0, 0, 0, {}, 90000}, {2, 80, 0, 0, 0, {}, 90000}}));
  const Outcome result = slim(file.build(), "8.0;9.0", PtxPolicy::none);
  const binary::InputFile changed(result.bytes);
  CHECK(read_note(binary::Bytes(changed)) == Note{{{8, 0}}, "none"});
  const Outcome again = slim(result.bytes, "8.0", PtxPolicy::all);
  const binary::InputFile twice(again.bytes);
  CHECK(again.slimmed.changed);
  CHECK(read_note(binary::Bytes(twice)) == Note{{{8, 0}}, "all"});
}

TEST_CASE("relocatable code stays where the driver would link it") {
  LinkedBuilder file;
  file.version = 2;
  file.fatbins = {fatbin_of({{2, 80, 0, 0, 0, {}, much}, {2, 90, 0, 0, 0, {}, much}})};
  file.relocatables = {
      fatbin_of({{2, 80, 0, 0, 0, {}, much}, {2, 90, 0, 0, 0, {}, much}, {1, 90, 0, 0, 0, {}, much}}),
      fatbin_of({{8, 80, 0, 0, 0, {}, much}, {8, 90, 0, 0, 0, {}, much}})};
  const std::string bytes = file.build();
  CHECK(entries_of(slim(bytes, "9.0", PtxPolicy::none).bytes) == "1:90 | |");
  CHECK(entries_of(slim(bytes, "9.0").bytes) == "1:90 | 0:90 |");
  const Outcome later =
      slim(bytes, "9.0;12.0"); // for which the driver has PTX of one object and LTO-IR of another
  REQUIRE(later.slimmed.unserved.size() == 1);
  CHECK(later.slimmed.unserved[0].gpus == std::vector<gpus::Capability>{{12, 0}});
  file.relocatables[1] = file.relocatables[0];
  const Outcome linked = slim(file.build(), "9.0;12.0");
  CHECK(entries_of(linked.bytes) == "1:90 | 0:90 | 0:90");
  CHECK(linked.slimmed.unserved.empty());
  file.version = 1;
  CHECK(entries_of(slim(file.build(), "9.0").bytes) == "1:90 | |");
}

TEST_CASE("LTO-IR that a device link has read serves no GPU") {
  LinkedBuilder file;
  file.version = 2;
  file.fatbins = {fatbin_of({{2, 80, 0, 0, 0, {}, much}})};
  file.relocatables = {fatbin_of({{8, 80, 0, 0, 0, {}, much}}), fatbin_of({{8, 80, 0, 0, 0, {}, much}})};
  const std::string bytes = file.build();
  const Outcome other = slim(bytes, "9.0");
  REQUIRE(other.slimmed.unserved.size() == 1);
  CHECK(other.slimmed.unserved[0].gpus == std::vector<gpus::Capability>{{9, 0}});
  const Outcome same = slim(bytes, "8.0", PtxPolicy::all);
  CHECK(same.slimmed.unserved.empty());
  CHECK(entries_of(same.bytes) == "1:80 | |");
}

TEST_CASE("nothing is missing in the empty fatbin that nvcc's link adds where there was nothing to link") {
  LinkedBuilder file;
  file.version = 2;
  file.fatbins = {fatbin_of({}), fatbin_of({{1, 80, 0, 0, 0, {}, much}})};
  for (const Pointers pointers : {Pointers::rela, Pointers::relr}) {
    file.pointers = pointers;
    const Outcome result = slim(file.build(), "9.0");
    CHECK(result.slimmed.unserved.empty());
    CHECK(result.slimmed.held_after.idle == 1);
  }
  file.version = 1; // something was cut out of it
  CHECK(slim(file.build(), "9.0").slimmed.unserved.size() == 1);
  file.version = 2;
  file.relocatables = {fatbin_of({{2, 80, 0, 0, 0, {}, much}})}; // which the driver would link
  CHECK(slim(file.build(), "9.0").slimmed.unserved.size() == 1);
  file.relocatables = {fatbin_of({{1, 80, 0, 0, 0, {}, much}})};
  CHECK(slim(file.build(), "9.0").slimmed.unserved.empty());
}

TEST_CASE("a fatbin without a wrapper stays where it is, and the others go before it") {
  LinkedBuilder file = three_fatbins();
  file.fatbins.push_back(fatbin_of({{2, 80, 0, 0, 0, {}, much}}));
  std::string bytes = file.build();
  const auto& wrappers = file.section(".nvFatBinSegment");
  const std::uint64_t address = file.section(".nv_fatbin").address, rela = file.section(".rela.dyn").offset;
  // the last wrapper gets the address of the first fatbin
  put(bytes, wrappers.offset + 24 * 3 + 8, little(address, 8));
  put(bytes, rela + 24 * 3 + 16, little(address, 8));
  const std::uint64_t last = address + file.section(".nv_fatbin").content.size() - file.fatbins[3].size();
  const Outcome result = slim(bytes, "9.0", PtxPolicy::none);
  REQUIRE(result.refused.empty());
  CHECK(result.slimmed.changed);
  CHECK(entries_of(result.bytes) == "1:90 | | 1:90 | 1:90");
  CHECK(loaded(result.bytes, last, file.fatbins[3].size()) == file.fatbins[3]);
  check_host(file, bytes, result.bytes);
}

TEST_CASE("a file that ends anywhere, or has any byte changed, is refused or still a file with the same host "
          "part") {
  LinkedBuilder file = three_fatbins();
  const std::string bytes = file.build();
  const auto& host = file.section(".eh_frame");
  const std::size_t headers = 64 + 56 * 6, table = bytes.size() - 64 * 14;
  for (std::size_t at = 0; at < bytes.size(); at += at < headers || at > table ? 1 : 97) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x41);
    const Outcome result = slim(changed, "9.0");
    if (!result.refused.empty() || !result.slimmed.changed)
      continue;
    const std::string before = loaded(changed, host.address, host.content.size());
    CHECK(loaded(result.bytes, host.address, host.content.size()) == before);
    CHECK(!entries_of(result.bytes).starts_with("!"));
  }
}
