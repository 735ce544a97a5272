// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/devicecode/gpu_rows.hpp"
#include "tests/unit/toolchains/devicecode/object_builder.hpp"
#include "toolchains/binary/archive.hpp"
#include "toolchains/devicecode/image.hpp"
#include "toolchains/devicecode/objects.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::devicecode;
using namespace hostpin::test;
using binary::Bytes;
using binary::InputFile;

namespace {

Keeping keeping(std::vector<int> majors) {
  Keeping result{gpu_rows(), {}, PtxPolicy::none};
  for (const int major : majors)
    result.targets.push_back({{major, 0}});
  return result;
}

std::string written(const Rewriting& content, const std::string& source) {
  std::string bytes;
  for (const binary::Piece& piece : content.pieces())
    bytes += piece.from ? source.substr(*piece.from, piece.size) : piece.bytes;
  CHECK(bytes.size() == content.size());
  return bytes;
}

/// The new file; the reason behind a `!` if there is none.
std::string slimmed(const std::string& bytes, const std::vector<int>& majors, Slimming* numbers = nullptr) {
  const InputFile file(bytes);
  Slimming own;
  const auto content = slim_file(Bytes(file), keeping(majors), numbers != nullptr ? *numbers : own);
  return content ? written(*content, bytes) : "!" + content.error().what;
}

std::string both() {
  return fatbin_of({{2, 80, 0, 0, 0, "", 40}, {2, 90, 0, 0, 0, "", 72}});
}

/// Each fatbin of an object as its wrapper's relocation finds it: `80 90, 90`.
std::string found_by_relocations(const std::string& bytes) {
  const InputFile file(bytes);
  const auto image = read_image(Bytes(file)).value().value();
  const auto& relocations = image.headers.sections[5];
  std::string text;
  for (std::uint64_t at = relocations.sh_offset; at < relocations.sh_offset + relocations.sh_size;
       at += sizeof(Elf64_Rela)) {
    const auto relocation = *binary::read_structure<Elf64_Rela>(Bytes(file), at);
    const auto symbol = *binary::read_structure<Elf64_Sym>(
        Bytes(file),
        image.headers.sections[6].sh_offset + ELF64_R_SYM(relocation.r_info) * sizeof(Elf64_Sym));
    const std::uint64_t target =
        image.sections.at(0).at + symbol.st_value + static_cast<std::uint64_t>(relocation.r_addend);
    text += text.empty() ? "" : ", ";
    for (const Fatbin& fatbin : image.sections[0].fatbins)
      if (fatbin.at == target)
        for (const binary::EmbeddedCode& entry : fatbin.entries)
          text += (text.empty() || text.back() == ' ' ? "" : " ") + std::to_string(entry.architecture);
  }
  return text;
}

} // namespace

TEST_CASE("an object keeps the code of the listed GPUs, and relocations lead to the same fatbins") {
  for (const bool own_symbols : {false, true})
    for (const std::uint64_t alignment : {8U, 64U, 4096U}) {
      DeviceObject object;
      object.own_symbols = own_symbols;
      object.alignment_behind = alignment;
      object.fatbins = {both(), fatbin_of({{2, 90, 0, 0, 0, "", 24}}), fatbin_of({}), both()};
      const std::string before = object.build();
      REQUIRE(found_by_relocations(before) == "80 90, 90, , 80 90");
      CHECK(found_by_relocations(slimmed(before, {9})) == "90, 90, , 90");
      CHECK(found_by_relocations(slimmed(before, {8})) == "80, , , 80");
      CHECK(slimmed(before, {8, 9}) == before);
    }
}

TEST_CASE("what follows device code moves up by a multiple of its alignment, and stays the same") {
  for (const std::uint64_t alignment : {8U, 16U, 64U, 4096U}) {
    DeviceObject object;
    object.alignment_behind = alignment;
    object.fatbins = {fatbin_of({{2, 80, 0, 0, 0, "", 10000}, {2, 90, 0, 0, 0, "", 72}}), both()};
    const std::string before = object.build(), after = slimmed(before, {9});
    CHECK((before.size() - after.size()) % alignment == 0);
    CHECK(before.size() - after.size() > 10000 - alignment);
    const InputFile file(after);
    const auto headers = binary::read_elf_headers(Bytes(file)).value().value();
    for (std::size_t i = 1; i < object.sections.size(); ++i) {
      const auto& section = object.sections[i];
      CHECK(headers.name(headers.sections[i]) == section.name);
      CHECK(headers.sections[i].sh_offset % section.alignment == 0);
      if (section.type != SHT_RELA && section.type != SHT_SYMTAB && section.name != ".nv_fatbin")
        CHECK(after.substr(headers.sections[i].sh_offset, section.content.size()) == section.content);
    }
  }
}

TEST_CASE("slimming twice changes nothing more") {
  DeviceObject object;
  object.fatbins = {both(), both()};
  const std::string once = slimmed(object.build(), {9});
  CHECK(slimmed(once, {9}) == once);
}

TEST_CASE("an object whose pointers cannot all be followed is refused") {
  const auto refusal = [](const auto& change) {
    DeviceObject object;
    object.fatbins = {both(), both()};
    change(object);
    return slimmed(object.build(), {9});
  };
  CHECK(refusal([](DeviceObject& object) { object.more_addend = 20; }) ==
        "!a relocation in it is for a part of a fatbin");
  CHECK(refusal([](DeviceObject& object) { object.symbol_size = 20; }) ==
        "!a symbol in it is for a part of a fatbin");
  CHECK(refusal([](DeviceObject& object) { object.relocation_type = R_X86_64_PC32; }) ==
        "!a relocation in it is for a fatbin and of an unknown type");
  CHECK(refusal([](DeviceObject& object) {
          object.fatbins[1] = "not a fatbin at all, but long enough";
        }).starts_with("!a section of device code contains something other"));
}

TEST_CASE("the size of a symbol for a fatbin is that of what stays") {
  DeviceObject object;
  object.fatbins = {both(), both()};
  object.symbol_size = both().size();
  const std::string after = slimmed(object.build(), {9});
  const InputFile file(after);
  const auto headers = binary::read_elf_headers(Bytes(file)).value().value();
  const auto symbol =
      binary::read_structure<Elf64_Sym>(Bytes(file), headers.sections[6].sh_offset + 2 * sizeof(Elf64_Sym));
  CHECK(symbol->st_size == fatbin_of({{2, 90, 0, 0, 0, "", 72}}).size());
}

TEST_CASE("a file of fatbins keeps the code of the listed GPUs") {
  const std::string nineties = fatbin_of({{2, 90, 0, 0, 0, "", 72}});
  CHECK(slimmed(both(), {9}) == nineties);
  CHECK(slimmed(both() + both(), {9}) == nineties + nineties);
  CHECK(slimmed(both() + std::string(8, '\0') + both(), {8, 9}) == both() + std::string(8, '\0') + both());
}

TEST_CASE("members of an archive are changed, and its table of symbols leads to them") {
  DeviceObject object;
  object.fatbins = {both()};
  const std::string big = object.build(), small = slimmed(big, {9});
  REQUIRE(small.size() < big.size());
  for (const bool wide : {false, true})
    CHECK(slimmed(ar_of({{"a.o", big}, {"text", "abc"}, {"b.o", big}, {"c.o", small}}, wide), {9}) ==
          ar_of({{"a.o", small}, {"text", "abc"}, {"b.o", small}, {"c.o", small}}, wide));
  CHECK(slimmed(ar_of({{"a.o", big}}, false, false), {9}) == ar_of({{"a.o", small}}, false, false));
  const std::string nested = ar_of({{"inner.a", ar_of({{"a.o", big}, {"b.o", big}})}});
  CHECK(slimmed(nested, {9}) == ar_of({{"inner.a", ar_of({{"a.o", small}, {"b.o", small}})}}));
}

TEST_CASE("an archive that cannot be changed as a whole is refused") {
  DeviceObject object;
  object.fatbins = {both()};
  std::string archive = ar_of({{"a.o", object.build()}});
  archive[8 + 60 + 7] = '\1'; // the offset in the table of symbols
  CHECK(slimmed(archive, {9}) == "!its table of symbols names a member that is not there");
  archive.replace(8, 16, "__.SYMDEF       ");
  CHECK(slimmed(archive, {9}).starts_with("!its table of symbols is not of GNU's format"));
  CHECK(slimmed(archive, {8, 9}) == archive);
  object.more_addend = 20;
  CHECK(slimmed(ar_of({{"x.o", object.build()}}), {9}) ==
        "!its member x.o: a relocation in it is for a part of a fatbin");
}

TEST_CASE("fatbins without code for a listed GPU are named with their member") {
  DeviceObject object;
  object.fatbins = {both(), fatbin_of({{2, 90, 0, 0, 0, "", 72}})};
  Slimming numbers;
  slimmed(ar_of({{"a.o", object.build()}, {"b.o", object.build()}}), {8, 7}, &numbers);
  CHECK(numbers.fatbins == 4);
  CHECK(numbers.all_unserved == 6);
  CHECK(numbers.unserved.at(0).gpu == gpus::Capability{7, 0});
  CHECK(numbers.unserved.at(1).member == "a.o");
  CHECK(numbers.unserved.at(5).member == "b.o");
  CHECK(numbers.codes[{{8, 0}, binary::DeviceCode::cubin}].before == 2 * 104);
  CHECK(numbers.codes[{{9, 0}, binary::DeviceCode::cubin}].after == 0);
}

TEST_CASE("the empty fatbin that nvcc's link adds lacks no code") {
  DeviceObject object;
  object.fatbins = {fatbin_of({}), both()};
  for (const std::uint32_t version : {1U, 2U}) {
    object.version = version;
    Slimming numbers;
    slimmed(object.build(), {9}, &numbers);
    CHECK(numbers.all_unserved == (version == 2 ? 0U : 1U));
  }
}

TEST_CASE("edits that overlap are an error, and the others come in the file's order") {
  const std::string text = "0123456789";
  const InputFile file(text);
  Edits edits;
  edits.replace(8, 2, "");
  edits.replace(2, 3, "xy");
  edits.replace(5, 0, "!");
  CHECK(written(edits.apply(Bytes(file)).value(), text) == "01xy!567");
  edits.replace(4, 2, "");
  CHECK(!edits.apply(Bytes(file)));
  Edits outside;
  outside.replace(9, 2, "");
  CHECK(!outside.apply(Bytes(file)));
}
