// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/binary/linked_builder.hpp"
#include "toolchains/binary/elf_writer.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::binary;
using test::LinkedBuilder;

namespace {

std::string assembled(const std::vector<Piece>& pieces, const std::string& source) {
  std::string bytes;
  for (const Piece& piece : pieces)
    bytes += piece.from            ? source.substr(*piece.from, piece.size)
             : piece.bytes.empty() ? std::string(piece.size, '\0')
                                   : piece.bytes;
  return bytes;
}

struct Changed {
  std::string refused;
  std::string bytes;
  ElfHeaders headers;
};

Changed changed(const std::string& bytes, const ElfChange& change) {
  const InputFile file(bytes);
  const auto headers = read_elf_headers(Bytes(file));
  if (!headers || !*headers)
    return {"no ELF file", {}, {}};
  const auto pieces = changed_elf(Bytes(file), **headers, change);
  if (!pieces)
    return {pieces.error().what, {}, {}};
  Changed result{"", assembled(*pieces, bytes), {}};
  const InputFile after(result.bytes);
  const auto read = read_elf_headers(Bytes(after));
  REQUIRE(read);
  const auto fits = changeable(Bytes(after), **read);
  CHECK_MESSAGE(fits, fits.error().what);
  result.headers = **read;
  std::uint64_t last = 0;
  for (const Elf64_Shdr& section : result.headers.sections)
    if (has_bytes(section)) {
      CHECK_MESSAGE(section.sh_offset >= last, result.headers.name(section));
      last = section.sh_offset;
    }
  return result;
}

std::size_t section_index(const LinkedBuilder& file, const std::string& name, const std::string& bytes) {
  const InputFile source(bytes);
  const auto headers = read_elf_headers(Bytes(source));
  static_cast<void>(file);
  return static_cast<std::size_t>((**headers).section_named(name) - (**headers).sections.data());
}

/// Replaces the section of device code by its first `size` bytes.
ElfChange shortened(const LinkedBuilder& file, const std::string& bytes, std::uint64_t size) {
  const auto& section = file.section(".nv_fatbin");
  ElfChange change;
  change.regions = {{section.address,
                     section.address + section.content.size(),
                     section.address,
                     {Piece::of(section.offset, size)},
                     {{section_index(file, ".nv_fatbin", bytes), section.address, size}}}};
  return change;
}

LinkedBuilder library() {
  LinkedBuilder file;
  file.fatbins = {test::fatbin_of({{2, 80, 0, 0, 0, {}, 100000}})};
  return file;
}

std::size_t loads(const ElfHeaders& headers) {
  return static_cast<std::size_t>(std::count_if(headers.programs.begin(), headers.programs.end(),
                                                [](const auto& one) { return one.p_type == PT_LOAD; }));
}

/// All sections but that of device code have their content; those that did not move, their address.
void check_sections(const LinkedBuilder& file, const Changed& result, bool may_move) {
  for (const char* name :
       {".note.gnu.build-id", ".gnu.hash", ".rodata", ".eh_frame", ".data", ".nvFatBinSegment"}) {
    const auto& before = file.section(name);
    const Elf64_Shdr* const after = result.headers.section_named(name);
    REQUIRE(after != nullptr);
    CHECK(test::loaded(result.bytes, after->sh_addr, after->sh_size) == before.content);
    if (!may_move ||
        (std::string_view(name) != ".note.gnu.build-id" && std::string_view(name) != ".gnu.hash"))
      CHECK(after->sh_addr == before.address);
  }
}

/// GNU strip requires it.
void check_order(const ElfHeaders& headers) {
  for (const Elf64_Phdr& program : headers.programs) {
    std::uint64_t last = 0;
    for (const Elf64_Shdr& section : headers.sections)
      if (program.p_type == PT_LOAD && (section.sh_flags & SHF_ALLOC) != 0 &&
          section.sh_addr >= program.p_vaddr && section.sh_addr < program.p_vaddr + program.p_memsz) {
        CHECK(section.sh_addr >= last);
        last = section.sh_addr;
      }
  }
}

} // namespace

TEST_CASE("whole pages that become free are cut out, and no other address changes") {
  for (const std::uint64_t page : {0x1000U, 0x10000U}) {
    LinkedBuilder file = library();
    file.page = page;
    file.room = 56;
    const std::string bytes = file.build();
    const Changed result = changed(bytes, shortened(file, bytes, 5000));
    REQUIRE(result.refused.empty());
    CHECK(bytes.size() - result.bytes.size() == (100080 - 5000) / page * page);
    CHECK(loads(result.headers) == 4);
    check_sections(file, result, false);
    check_order(result.headers);
    CHECK(result.headers.section_named(".nv_fatbin")->sh_size == 5000);
  }
}

TEST_CASE("without room for a program header the first sections move") {
  LinkedBuilder file = library();
  const std::string bytes = file.build();
  const Changed result = changed(bytes, shortened(file, bytes, 5000));
  REQUIRE(result.refused.empty());
  CHECK(bytes.size() - result.bytes.size() >= 0x16000);
  check_sections(file, result, true);
  check_order(result.headers);
  CHECK(result.headers.file.e_phoff == 64);
  const Elf64_Shdr* const hash = result.headers.section_named(".gnu.hash");
  CHECK(hash->sh_addr != file.section(".gnu.hash").address);
  CHECK(result.headers.dynamic(DT_GNU_HASH) == hash->sh_addr);
  CHECK(result.headers.dynamic(DT_SYMTAB) == file.section(".dynsym").address);
  const Elf64_Shdr* const note = result.headers.section_named(".note.gnu.build-id");
  for (const Elf64_Phdr& program : result.headers.programs)
    if (program.p_type == PT_LOAD)
      CHECK(program.p_offset != note->sh_offset); // llvm-objcopy
    else if (program.p_type == PT_NOTE) {
      CHECK(program.p_vaddr == note->sh_addr);
      CHECK(program.p_offset == note->sh_offset);
    }
}

TEST_CASE("alignments above the processor's largest page are lowered") {
  LinkedBuilder file = library();
  file.page = 0x200000;
  file.room = 56;
  const std::string bytes = file.build();
  const Changed result = changed(bytes, shortened(file, bytes, 5000));
  REQUIRE(result.refused.empty());
  CHECK(bytes.size() - result.bytes.size() == 0x17000);
  check_sections(file, result, false);
}

TEST_CASE("a segment is added after all others") {
  for (const std::uint64_t room : {0U, 56U, 112U}) {
    LinkedBuilder file = library();
    file.room = room;
    const std::string bytes = file.build();
    ElfChange change = shortened(file, bytes, 0);
    const InputFile source(bytes);
    const auto headers = read_elf_headers(Bytes(source));
    change.added = AddedSegment{256, {}};
    const auto address = added_address(Bytes(source), **headers, change);
    REQUIRE(address);
    CHECK(*address % 256 == 0);
    change.added->content = {Piece::of(std::string("new content"))};
    change.regions[0].sections[0].address = *address;
    change.regions[0].sections[0].size = 11;
    const Changed result = changed(bytes, change);
    REQUIRE(result.refused.empty());
    CHECK(test::loaded(result.bytes, *address, 11) == "new content");
    CHECK(result.bytes.size() < bytes.size());
    check_sections(file, result, room != 112);
    check_order(result.headers);
  }
}

TEST_CASE("a section that is not loaded is added, and replaced") {
  LinkedBuilder file = library();
  file.room = 56;
  const std::string bytes = file.build();
  ElfChange change;
  change.section = AddedSection{".note.hostpin", SHT_NOTE, "first"};
  const Changed first = changed(bytes, change);
  change.section->content = "second and longer";
  const Changed second = changed(first.bytes, change);
  REQUIRE(second.refused.empty());
  const Elf64_Shdr* const section = second.headers.section_named(".note.hostpin");
  REQUIRE(section != nullptr);
  CHECK(second.bytes.substr(section->sh_offset, section->sh_size) == "second and longer");
  CHECK(second.bytes.size() < first.bytes.size() + 20);
  CHECK(first.headers.sections.size() == second.headers.sections.size());
  check_sections(file, second, false);
}

TEST_CASE("bytes are patched, once each") {
  LinkedBuilder file = library();
  const std::string bytes = file.build();
  ElfChange change;
  const std::uint64_t at = file.section(".data").offset;
  change.patches = {{at, "12345678"}, {at + 8, "abcdefgh"}};
  CHECK(changed(bytes, change).bytes.substr(at, 16) == "12345678abcdefgh");
  change.patches[at + 4] = "overlaps";
  CHECK(changed(bytes, change).refused == "it uses some of its bytes for two purposes");
  ElfChange inside = shortened(file, bytes, 5000);
  inside.patches = {{file.section(".nv_fatbin").offset + 8, "12345678"}};
  CHECK(changed(bytes, inside).refused == "it uses some of its bytes for two purposes");
}

TEST_CASE("signed files, and files with data after their end, are not changed") {
  LinkedBuilder file = library();
  const std::string bytes = file.build();
  CHECK(changed(bytes + std::string(64, '\0'), {}).refused.empty());
  CHECK(changed(bytes + "~Module signature appended~\n", {}).refused ==
        "it is signed: a signature is appended to it");
  CHECK(changed(bytes + "signature", {}).refused == "it has data after its end, such as a signature");
  std::string named = bytes;
  named.replace(named.rfind(".comment"), 8, std::string(".rsasig\0", 8));
  CHECK(changed(named, {}).refused == "it is signed: it has a section .rsasig");
  std::string overlapping = bytes;
  test::put(overlapping, 64 + 56 + 16, test::little(0, 8)); // the second segment is where the first one is
  CHECK(!changed(overlapping, {}).refused.empty());
}

TEST_CASE("PT_GNU_RELRO is where its address is, whatever its offset in the file") {
  LinkedBuilder file = library();
  file.relro = ".dynamic";
  file.relro_size = 7000;
  for (const std::uint64_t room : {0U, 56U}) { // with and without sections that move
    file.room = room;
    const std::string bytes = file.build();
    const Changed result = changed(bytes, shortened(file, bytes, 5000));
    CHECK(result.refused.empty());
    check_sections(file, result, room == 0);
    CHECK(result.bytes.size() < bytes.size());
  }
}

TEST_CASE("device code that the loader protects again after relocation is refused") {
  LinkedBuilder file = library();
  file.relro = ".nv_fatbin";
  file.relro_size = 8;
  const std::string bytes = file.build();
  CHECK(changed(bytes, shortened(file, bytes, 5000)).refused ==
        "another segment uses the bytes of its device code");
}

TEST_CASE("a section without a name keeps its bytes") {
  LinkedBuilder file = library();
  std::string bytes = file.build();
  bytes.replace(bytes.rfind(".comment"), 8, std::string(8, '\0'));
  const Changed result = changed(bytes, shortened(file, bytes, 5000));
  REQUIRE(result.refused.empty());
  CHECK(result.bytes.find("a comment") != std::string::npos);
}

TEST_CASE("an address past the end of memory does not become one of an added segment") {
  LinkedBuilder file = library();
  file.more_addends = {0x1d000};
  const std::string bytes = file.build();
  ElfChange change;
  CHECK(changed(bytes, change).refused.empty());
  change.added = AddedSegment{16, {Piece::zeros(0x10000)}};
  CHECK(changed(bytes, change).refused == "it has an address that is past its end in memory");
}

TEST_CASE("device code that cannot be read is refused") {
  LinkedBuilder file = library();
  std::string bytes = file.build();
  test::put(bytes, 64 + 56 + 4, test::little(0, 4)); // the flags of its segment
  CHECK(changed(bytes, shortened(file, bytes, 5000)).refused ==
        "its device code is loaded without permission to read it");
}

TEST_CASE("tables move only if the dynamic segment has the addresses of their sections") {
  LinkedBuilder file = library();
  std::string bytes = file.build();
  CHECK(loads(changed(bytes, shortened(file, bytes, 5000)).headers) == 4);
  test::put(bytes, file.section(".dynamic").offset + 8,
            test::little(file.section(".gnu.hash").address + 8, 8));
  const Changed result = changed(bytes, shortened(file, bytes, 5000));
  CHECK(result.refused.empty());
  CHECK(loads(result.headers) == 3);
  check_sections(file, result, false);
}

TEST_CASE("symbols that are loaded are not changed") {
  LinkedBuilder file = library();
  file.build();
  const std::size_t device = section_index(file, ".nv_fatbin", file.build()), data = device + 2;
  file.data = test::little(0, 4) + test::little(0, 2) + test::little(device, 2) +
              test::little(file.section(".nv_fatbin").address, 8) + test::little(0, 8);
  std::string bytes = file.build();
  REQUIRE(section_index(file, ".data", bytes) == data);
  Elf64_Ehdr header{};
  std::memcpy(&header, bytes.data(), sizeof header);
  test::put(bytes, header.e_shoff + 64 * data + 4, test::little(SHT_SYMTAB, 4));
  ElfChange change = shortened(file, bytes, 5000);
  CHECK(changed(bytes, change).refused.empty());
  change.symbols[file.section(".nv_fatbin").address] = 0x1234;
  CHECK(changed(bytes, change).refused == "its table of symbols is in a segment that is loaded");
}
