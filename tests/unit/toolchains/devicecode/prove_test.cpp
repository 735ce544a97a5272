// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/binary/builder.hpp"
#include "tests/unit/toolchains/binary/linked_builder.hpp"
#include "toolchains/devicecode/prove.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::devicecode;
using namespace hostpin::test;

namespace {

std::vector<gpus::Gpu> rows() {
  std::vector<gpus::Gpu> all;
  for (const gpus::Capability capability : {gpus::Capability{8, 0}, {8, 6}, {9, 0}, {12, 0}})
    all.emplace_back().capability = capability;
  return all;
}

/// `proven`, or each difference as `9.0 WHERE: WHAT; `; `!` and the error if a file cannot be read.
std::string proof(const std::string& before, const std::string& after, std::vector<gpus::Capability> gpus,
                  std::optional<gpus::Driver> driver = {}) {
  static const std::vector<gpus::Gpu> table = rows();
  const auto result = prove(binary::Blob(before), binary::Blob(after), {table, std::move(gpus), driver});
  if (!result)
    return "!" + result.error().message;
  std::string text;
  for (const Difference& difference : result->differences)
    text += (difference.gpu ? gpus::to_string(*difference.gpu) + " " : "") + difference.where + ": " +
            difference.what + "; ";
  CHECK(result->holds() == text.empty());
  return text.empty() ? "proven" : text;
}

/// An entry whose code is these bytes.
std::string code(unsigned kind, unsigned architecture, std::string bytes, std::uint64_t flags = 0,
                 std::uint64_t unpacked = 0) {
  const auto size = static_cast<std::uint32_t>(bytes.size());
  bytes.resize((bytes.size() + 7) / 8 * 8);
  Entry one{kind, architecture, flags, flags == 0 ? 0 : size, unpacked};
  one.payload = 0;
  std::string entry_bytes = entry(one) + bytes;
  put(entry_bytes, 8, little(bytes.size(), 8));
  return entry_bytes;
}

std::string fatbin_with(const std::vector<std::string>& entries) {
  std::string content;
  for (const std::string& one : entries)
    content += one;
  return little(0xba55ed50, 4) + little(1, 2) + little(16, 2) + little(content.size(), 8) + content;
}

/// The literals of one LZ4 block.
std::string lz4_block(const std::string& bytes) {
  std::string block(1, '\xf0');
  std::size_t left = bytes.size() - 15;
  for (; left >= 255; left -= 255)
    block += '\xff';
  return block + static_cast<char>(left) + bytes;
}

std::string patched(std::string bytes, const std::string& from, const std::string& to) {
  const auto at = bytes.find(from);
  REQUIRE(at != std::string::npos);
  put(bytes, at, to);
  return bytes;
}

const std::string machine_80(64, 'a'), machine_90(64, 'b'), text_90(64, 'c');
constexpr gpus::Capability v8_0{8, 0}, v9_0{9, 0}, v12_0{12, 0};

const std::string three =
    fatbin_with({code(2, 80, machine_80), code(2, 90, machine_90), code(1, 90, text_90)});

} // namespace

TEST_CASE("a fatbin without the code of other GPUs is proven for those that it serves alone") {
  const std::string only_90 = fatbin_with({code(2, 90, machine_90), code(1, 90, text_90)});
  CHECK(proof(three, three, {v8_0, v9_0, v12_0}) == "proven");
  CHECK(proof(three, only_90, {v9_0, v12_0}) == "proven");
  CHECK(proof(three, only_90, {v8_0, v9_0}) == "8.0 fatbin 1: nothing instead of 8.0 machine code; ");
  CHECK(proof(only_90, three, {v8_0}) == "8.0 fatbin 1: 8.0 machine code instead of nothing; ");
  CHECK(proof(three, fatbin_with({code(1, 90, text_90)}), {v9_0}) ==
        "9.0 fatbin 1: 9.0 PTX instead of 9.0 machine code; ");
  CHECK(proof(three, fatbin_with({code(2, 90, machine_90)}), {v12_0}) ==
        "12.0 fatbin 1: nothing instead of 9.0 PTX; ");
}

TEST_CASE("one changed byte is found, of the GPUs that load it alone") {
  const std::string changed = patched(three, std::string(8, 'b'), "bbXb");
  CHECK(proof(three, changed, {v9_0}) ==
        "9.0 fatbin 1: other 9.0 machine code: its code, from byte 0x2 on; ");
  CHECK(proof(three, changed, {v8_0, v12_0}) == "proven");
  const std::string longer =
      fatbin_with({code(2, 80, machine_80), code(2, 90, machine_90 + "b"), code(1, 90, text_90)});
  CHECK(proof(three, longer, {v9_0}) ==
        "9.0 fatbin 1: other 9.0 machine code: its code, from byte 0x40 on; ");
  std::string relabelled = three;
  relabelled[16 + 64 + 64 + 0x1a] = 9; // the version in the second header
  CHECK(proof(three, relabelled, {v9_0}) ==
        "9.0 fatbin 1: other 9.0 machine code: the header of its entry; ");
}

TEST_CASE("code is compared decompressed") {
  const std::string text = "// a PTX text of more than fifteen bytes\n";
  const std::string packed = code(1, 90, lz4_block(text), lz4, text.size());
  const std::string other = code(1, 90, lz4_block("// A" + text.substr(4)), lz4, text.size());
  CHECK(proof(fatbin_with({code(1, 90, text)}), fatbin_with({packed}), {v9_0}) == "proven");
  CHECK(proof(fatbin_with({packed}), fatbin_with({code(1, 90, text)}), {v9_0}) == "proven");
  CHECK(proof(fatbin_with({packed}), fatbin_with({other}), {v9_0}) ==
        "9.0 fatbin 1: other 9.0 PTX: its code, from byte 0x3 on; ");
  CHECK(proof(fatbin_with({code(1, 90, text)}), fatbin_with({other}), {v9_0}) ==
        "9.0 fatbin 1: other 9.0 PTX: its code, from byte 0x3 on; ");
  const std::string shorter = code(1, 90, lz4_block(text.substr(0, 30)), lz4, 30);
  CHECK(proof(fatbin_with({code(1, 90, text)}), fatbin_with({shorter}), {v9_0}) ==
        "9.0 fatbin 1: other 9.0 PTX: its code, from byte 0x1e on; ");
  const std::string broken = code(1, 90, "\xff\xff", lz4, text.size());
  CHECK(proof(fatbin_with({packed}), fatbin_with({broken}), {v9_0})
            .starts_with("!the files cannot be compared: its device code cannot be decompressed"));
}

TEST_CASE("new code that a driver cannot load is a difference") {
  gpus::Driver old;
  old.ptx = {8, 3, 0};
  const std::string plain = fatbin_with({code(2, 90, machine_90)});
  // A zstd frame of one raw block.
  const std::string frame =
      little(0xfd2fb528, 4) + std::string("\x20\x40", 2) + little(64 << 3U | 1, 3) + machine_90;
  const std::string packed = fatbin_with({code(2, 90, frame, zstd, 64)});
  CHECK(proof(plain, packed, {v9_0}) == "proven");
  CHECK(proof(packed, plain, {v9_0}, old) == "proven");
  CHECK(proof(packed, packed, {v9_0}, old) == "proven");
  CHECK(proof(plain, packed, {v9_0}, old) == "9.0 fatbin 1: 9.0 machine code that this driver cannot load; ");
  const std::vector<gpus::Gpu> table = rows();
  CHECK(prove(binary::Blob(plain), binary::Blob(packed), {table, {v9_0}, {}})->needs_zstd);
  CHECK_FALSE(prove(binary::Blob(packed), binary::Blob(packed), {table, {v9_0}, {}})->needs_zstd);
}

TEST_CASE("fatbins of a linked file are matched by their wrappers") {
  LinkedBuilder file;
  file.fatbins = {three, fatbin_with({}), fatbin_with({code(2, 80, machine_90)})};
  const std::string bytes = file.build();
  CHECK(proof(bytes, bytes, {v8_0, v9_0}) == "proven");
  const std::string changed = patched(bytes, std::string(8, 'a'), "X");
  CHECK(proof(bytes, changed, {v9_0, v12_0}) == "proven");
  CHECK(proof(bytes, changed, {v8_0}).starts_with("8.0 the fatbin of the wrapper at 0x"));
  LinkedBuilder fewer = file;
  fewer.fatbins[2] = fatbin_with({code(16, 80, machine_90)});
  CHECK(proof(bytes, fewer.build(), {v9_0}) == "proven");
  CHECK(proof(bytes, fewer.build(), {v8_0}).find("nothing instead of 8.0 machine code") != std::string::npos);
}

TEST_CASE("the part for the host has to be the same") {
  LinkedBuilder file;
  file.fatbins = {three};
  const std::string bytes = file.build();
  CHECK(proof(bytes, patched(bytes, "rrrr", "rrXr"), {v9_0}).starts_with(".rodata at 0x"));
  CHECK(proof(bytes, patched(bytes, "nnnn", "Xnnn"), {v9_0}).starts_with(".note.gnu.build-id at 0x"));
  CHECK(proof(bytes, patched(bytes, "dddd", "Xddd"), {v9_0}).starts_with(".data at 0x"));
  LinkedBuilder longer = file;
  longer.tail += "t";
  CHECK(proof(bytes, longer.build(), {v9_0}).find(".eh_frame: not in the new file") != std::string::npos);
  LinkedBuilder other = file;
  other.machine = EM_AARCH64;
  CHECK(proof(bytes, other.build(), {v9_0}).find("another type or processor") != std::string::npos);
  CHECK(proof(bytes, three, {v9_0}) == "the file: a file of another kind; ");
}

TEST_CASE("dynamic entries may name moved sections, whatever the section of the entries is called") {
  LinkedBuilder file;
  file.fatbins = {three};
  LinkedBuilder moved = file;
  moved.room = 64;
  for (const std::string name : {".dynamic", ".renamed"}) {
    const std::string before = patched(file.build(), ".dynamic", name);
    const std::string after = patched(moved.build(), ".dynamic", name);
    CHECK(file.section(".gnu.hash").address != moved.section(".gnu.hash").address);
    CHECK(proof(before, after, {v9_0}) == "proven");
    const std::string entry = little(DT_GNU_HASH, 8) + little(moved.section(".gnu.hash").address, 8);
    const std::string elsewhere = little(DT_GNU_HASH, 8) + little(moved.section(".rodata").address, 8);
    CHECK(proof(before, patched(after, entry, elsewhere), {v9_0}) == ".dynamic: other entries; ");
  }
}

TEST_CASE("each way to store the pointers is left out of the comparison") {
  for (const Pointers pointers : {Pointers::plain, Pointers::rela, Pointers::rela_in_place, Pointers::relr}) {
    LinkedBuilder file;
    file.pointers = pointers;
    file.type = pointers == Pointers::plain ? ET_EXEC : ET_DYN;
    file.base = pointers == Pointers::plain ? 0x400000 : 0;
    const std::string first = fatbin_with({code(2, 80, machine_80)});
    file.fatbins = {first, three, fatbin_with({code(2, 90, machine_90)})};
    LinkedBuilder swapped = file;
    swapped.fatbins[0] = fatbin_with({code(2, 90, machine_90), code(1, 90, text_90)});
    swapped.fatbins[1] = fatbin_with({code(2, 80, machine_80), code(2, 90, machine_90)});
    CHECK(file.build().size() == swapped.build().size());
    CHECK(proof(file.build(), swapped.build(), {v8_0}).find("wrapper") != std::string::npos);
    CHECK(proof(file.build(), swapped.build(), {v8_0}).find(".nvFatBinSegment") == std::string::npos);
    CHECK(proof(file.build(), swapped.build(), {v8_0}).find(".rela") == std::string::npos);
  }
}

TEST_CASE("what a device link read counts only for GPUs that it left no code for") {
  LinkedBuilder file;
  file.version = 2;
  file.fatbins = {fatbin_with({code(2, 90, machine_90)})};
  file.relocatables = {fatbin_with({code(2, 90, machine_90), code(1, 90, text_90), code(8, 80, machine_80)})};
  const std::string bytes = file.build();
  const std::string no_ptx = patched(bytes, std::string(8, 'c'), "X"), no_lto = patched(bytes, "aaaa", "X");
  CHECK(proof(bytes, no_ptx, {v9_0}) == "proven");
  CHECK(proof(bytes, no_lto, {v9_0}) == "proven");
  CHECK(proof(bytes, no_ptx, {v12_0}).find("other 9.0 PTX: its code") != std::string::npos);
  CHECK(proof(bytes, no_lto, {v8_0}) == "proven"); // no driver loads it
}

TEST_CASE("members of archives are matched by their names") {
  const std::string other = fatbin_with({code(2, 80, machine_80)});
  const std::string before = archive({{"a.o", three}, {"b.o", other}, {"text", "some text"}});
  CHECK(proof(before, archive({{"text", "some text"}, {"b.o", other}, {"a.o", three}}), {v8_0, v9_0}) ==
        "proven");
  CHECK(proof(before, archive({{"a.o", other}, {"b.o", other}, {"text", "some text"}}), {v9_0}) ==
        "9.0 a.o: fatbin 1: nothing instead of 9.0 machine code; ");
  CHECK(proof(before, archive({{"a.o", three}, {"text", "some text"}}), {v9_0}) ==
        "b.o: not in the new file; ");
  CHECK(proof(archive({{"a.o", three}}), archive({{"a.o", three}, {"c.o", three}}), {v9_0}) ==
        "c.o: only in the new file; ");
  CHECK(proof(before, archive({{"a.o", three}, {"b.o", other}, {"text", "Some text"}}), {v9_0}) ==
        "text: other bytes; ");
  CHECK(proof(before, three, {v9_0}) == "the file: a file of another kind; ");
}

TEST_CASE("a damaged file is an error that names it") {
  const std::string cut = three.substr(0, three.size() - 10);
  CHECK(proof(cut, three, {v9_0}).starts_with("!the old file cannot be compared: "));
  CHECK(proof(three, cut, {v9_0}).starts_with("!the new file cannot be compared: "));
}
