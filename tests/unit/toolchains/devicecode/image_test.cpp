// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/binary/builder.hpp"
#include "tests/unit/toolchains/binary/linked_builder.hpp"
#include "toolchains/devicecode/image.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::devicecode;
using namespace hostpin::test;

namespace {

binary::Reading<std::optional<Image>> read(const std::string& bytes) {
  const binary::InputFile file(bytes);
  return read_image(binary::Bytes(file));
}

/// The reason of a refusal; empty if there is none.
std::string refusal(const std::string& bytes) {
  const auto image = read(bytes);
  return image ? "" : image.error().what;
}

LinkedBuilder two_fatbins() {
  LinkedBuilder file;
  file.fatbins = {fatbin_of({{2, 80}, {2, 90}, {1, 90}}), fatbin_of({}),
                  fatbin_of({{2, 80, 0, 0, 0, "a.cu"}})};
  return file;
}

} // namespace

TEST_CASE("each way to store a pointer to a fatbin is found, with what has to be changed for it") {
  for (const Pointers pointers : {Pointers::plain, Pointers::rela, Pointers::rela_in_place, Pointers::relr}) {
    LinkedBuilder file = two_fatbins();
    file.pointers = pointers;
    file.type = pointers == Pointers::plain ? ET_EXEC : ET_DYN;
    file.base = pointers == Pointers::plain ? 0x400000 : 0;
    const std::string bytes = file.build();
    const auto image = read(bytes);
    REQUIRE_MESSAGE(image, refusal(bytes));
    REQUIRE(*image);
    REQUIRE((**image).wrappers.size() == 3);
    for (const Wrapper& wrapper : (**image).wrappers) {
      CHECK(wrapper.version == Wrapper::whole);
      CHECK(wrapper.pointer.in_place == (pointers != Pointers::rela));
      CHECK(wrapper.pointer.addend.has_value() ==
            (pointers == Pointers::rela || pointers == Pointers::rela_in_place));
      if (wrapper.pointer.in_place)
        CHECK(bytes.substr(wrapper.pointer.at, 8) == little(wrapper.fatbin, 8));
      if (wrapper.pointer.addend)
        CHECK(bytes.substr(*wrapper.pointer.addend, 8) == little(wrapper.fatbin, 8));
    }
  }
}

TEST_CASE("fatbins have their offsets, addresses, entries and wrappers") {
  LinkedBuilder file = two_fatbins();
  file.relocatables = {fatbin_of({{2, 80}})};
  file.version = 2;
  const std::string bytes = file.build();
  const auto image = read(bytes);
  REQUIRE_MESSAGE(image, refusal(bytes));
  REQUIRE((**image).sections.size() == 2);
  const DeviceSection &loaded = (**image).sections[0], &linked = (**image).sections[1];
  CHECK(loaded.name == ".nv_fatbin");
  CHECK(!loaded.relocatable);
  CHECK(linked.relocatable);
  REQUIRE(loaded.fatbins.size() == 3);
  CHECK(loaded.address == file.section(".nv_fatbin").address);
  CHECK(loaded.at == file.section(".nv_fatbin").offset);
  CHECK(loaded.fatbins[0].entries.size() == 3);
  CHECK(loaded.fatbins[1].entries.empty());
  CHECK(loaded.fatbins[1].size() == 16);
  std::size_t wrapper = 0;
  for (const DeviceSection& section : (**image).sections)
    for (const Fatbin& fatbin : section.fatbins) {
      CHECK(binary::is_fatbin(std::string_view(bytes).substr(fatbin.at)));
      CHECK(fatbin.address - section.address == fatbin.at - section.at);
      CHECK(fatbin.wrappers == std::vector<std::size_t>{wrapper++});
      for (const binary::EmbeddedCode& entry : fatbin.entries) {
        CHECK(entry.fatbin == fatbin.at);
        CHECK(bytes.substr(entry.at + 0x1c, 4) == little(entry.architecture, 4));
      }
    }
  CHECK((**image).wrappers[0].version == Wrapper::linked);
  CHECK((**image).bytes() ==
        file.fatbins[0].size() + 16 + file.fatbins[2].size() + file.relocatables[0].size());
}

TEST_CASE("an object has fatbins without addresses") {
  const std::string one = fatbin_of({{2, 80}});
  const auto image = read(ObjectBuilder().add(".nv_fatbin", one + one).add("__nv_relfatbin", one).build());
  REQUIRE(image);
  REQUIRE(*image);
  CHECK(!(**image).is_linked());
  REQUIRE((**image).sections.size() == 2);
  CHECK((**image).sections[0].fatbins.size() == 2);
  CHECK((**image).sections[0].fatbins[1].address == 0);
}

TEST_CASE("other files have no image, and an ELF file without device code an empty one") {
  for (const std::string& other : {std::string(), std::string("text"), ObjectBuilder(false).build(),
                                   ObjectBuilder(true, false).build()}) {
    const auto image = read(other);
    REQUIRE(image);
    CHECK(!*image);
  }
  const auto image = read(ObjectBuilder().kind(3).add(".text", "code").build());
  REQUIRE(image);
  REQUIRE(*image);
  CHECK((**image).sections.empty());
}

TEST_CASE("what cannot be explained is refused") {
  const std::string whole = two_fatbins().build();
  const auto with = [&](const auto& change) {
    LinkedBuilder file = two_fatbins();
    change(file);
    return refusal(file.build());
  };
  CHECK(refusal(whole).empty());
  CHECK(with([](LinkedBuilder& file) { file.version = 3; }) ==
        "a wrapper of its device code has the unknown version 3");
  CHECK(with([](LinkedBuilder& file) { file.more_addends = {16}; }) ==
        "it has an address of device code that no wrapper explains");
  CHECK(with([](LinkedBuilder& file) { file.more_addends = {100000}; }).empty());
  CHECK(with([](LinkedBuilder& file) { file.pointers = Pointers::plain; }) ==
        "the address in a wrapper of its device code is not relocated");
  CHECK(with([](LinkedBuilder& file) { file.machine = EM_S390; }) ==
        "it is for a processor whose relocations are not known");
  LinkedBuilder file = two_fatbins();
  std::string bytes = file.build();
  const std::size_t wrappers = file.section(".nvFatBinSegment").offset,
                    rela = file.section(".rela.dyn").offset, address = file.section(".nv_fatbin").address;
  const auto changed = [&](std::size_t at, const std::string& value) {
    std::string copy = bytes;
    put(copy, at, value);
    return refusal(copy);
  };
  CHECK(changed(wrappers, "no") == "its section of wrappers has something else than wrappers");
  CHECK(changed(wrappers + 8, little(address + 8, 8)) ==
        "the address in a wrapper of its device code is relocated in an unknown way");
  CHECK(changed(rela + 8, little(R_X86_64_64, 8)) ==
        "the address in a wrapper of its device code is relocated in an unknown way");
  put(bytes, wrappers + 8, little(address + 8, 8));
  CHECK(changed(rela + 16, little(address + 8, 8)) ==
        "a wrapper of its device code points to something else than a fatbin");
  bytes = file.build();
  const std::size_t third = file.fatbins[0].size() + 16;
  put(bytes, wrappers + 24 + 8, little(address + third, 8));
  CHECK(changed(rela + 24 + 16, little(address + third, 8)).empty());
  put(bytes, rela + 24 + 16, little(address + third, 8));
  const auto shared = read(bytes);
  CHECK((**shared).sections[0].fatbins[1].wrappers.empty());
  CHECK((**shared).sections[0].fatbins[2].wrappers == std::vector<std::size_t>{1, 2});
}

TEST_CASE("what the loader would read out of its table is refused") {
  LinkedBuilder file = two_fatbins();
  const std::string bytes = file.build();
  const auto changed = [&](std::size_t at, const std::string& value) {
    std::string copy = bytes;
    put(copy, at, value);
    return refusal(copy);
  };
  const std::size_t dynamic = 64 + 56 * 3, entry = file.section(".dynamic").offset + 16 * 4;
  CHECK(changed(dynamic + 16, little(file.section(".rodata").address, 8)) ==
        "its dynamic segment is loaded from somewhere else");
  const auto strings = [](std::uint64_t at, std::uint64_t size) {
    return little(DT_NEEDED, 8) + little(at, 8) + little(DT_STRSZ, 8) + little(size, 8);
  };
  CHECK(changed(entry, strings(9, 10)).empty());
  CHECK(changed(entry, strings(10, 10)) ==
        "its dynamic segment has a string that is not in its table of strings");
  file.more_addends = {100000};
  std::string relocated = file.build();
  const std::size_t info = file.section(".rela.dyn").offset + 24 * 3 + 8;
  put(relocated, info, little(R_X86_64_64, 4) + little(0, 4));
  CHECK(refusal(relocated).empty());
  put(relocated, info, little(R_X86_64_64, 4) + little(1, 4));
  CHECK(refusal(relocated) == "a relocation has a symbol that is not in its table of symbols");
  put(relocated, info - 8, little(file.section(".bss").address + 492, 8) + little(R_X86_64_64, 8));
  CHECK(refusal(relocated).empty());
  put(relocated, info - 8, little(file.section(".bss").address + 508, 8));
  CHECK(refusal(relocated) == "a relocation changes memory that is in no segment");
  std::string in_code = relocated;
  put(in_code, info - 8, little(file.section(".nv_fatbin").address + 8, 8));
  CHECK(refusal(in_code) == "a relocation changes its device code");
  put(relocated, info, little(R_X86_64_NONE, 8));
  CHECK(refusal(relocated).empty());
}

TEST_CASE("a file that ends anywhere is refused or has no device code") {
  LinkedBuilder file = two_fatbins();
  const std::string bytes = file.build();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto image = read(bytes.substr(0, size));
    CHECK((!image || !*image));
  }
}
