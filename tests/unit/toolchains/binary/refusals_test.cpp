// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/binary/elf_builder.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/elf.hpp"
#include "toolchains/binary/refusals.hpp"

#include <cstddef>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin::binary;
using hostpin::test::ElfBuilder;

namespace {

using Found = std::vector<Refusal>;

/// A small library whose bytes are changed one field at a time.
class Library {
public:
  explicit Library(bool wide, bool little = true)
      : builder_(wide, little), wide_(wide), little_(little),
        bytes_(builder_.build("libx.so", {"X_1"}, {{"libc.so.6", {"GLIBC_2.17"}}})) {}

  Library& set(std::size_t at, std::size_t value, std::size_t size) {
    bytes_.replace(at, size, builder_.number(value, size));
    return *this;
  }
  Library& word(std::size_t at, std::size_t value) { return set(at, value, wide_ ? 8 : 4); }

  /// Fields of the program header with that index: 0 is PT_LOAD, 1 PT_DYNAMIC, 2 PT_GNU_STACK.
  std::size_t segment(std::size_t index) const { return (wide_ ? 64U : 52U) + index * (wide_ ? 56U : 32U); }
  Library& type(std::size_t index, std::size_t value) { return set(segment(index), value, 4); }
  Library& flags(std::size_t index, std::size_t value) {
    return set(segment(index) + (wide_ ? 4 : 24), value, 4);
  }
  Library& offset(std::size_t index, std::size_t value) {
    return word(segment(index) + (wide_ ? 8 : 4), value);
  }
  Library& address(std::size_t index, std::size_t value) {
    return word(segment(index) + (wide_ ? 16 : 8), value);
  }
  Library& file_size(std::size_t index, std::size_t value) {
    return word(segment(index) + (wide_ ? 32 : 16), value);
  }
  Library& size(std::size_t index, std::size_t value) {
    return word(segment(index) + (wide_ ? 40 : 20), value);
  }
  Library& alignment(std::size_t index, std::size_t value) {
    return word(segment(index) + (wide_ ? 48 : 28), value);
  }

  /// Replaces the dynamic entry of a tag by another one.
  Library& entry(std::size_t old, std::size_t tag, std::size_t value) {
    const std::size_t half = wide_ ? 8 : 4;
    std::size_t at = segment(3);
    while (bytes_.compare(at, half, builder_.number(old, half)) != 0)
      at += 2 * half;
    return word(at, tag).word(at + half, value);
  }
  /// An address at which the file has `content`, which is appended.
  std::size_t append(std::initializer_list<std::size_t> numbers) {
    const std::size_t at = bytes_.size();
    for (const std::size_t number : numbers)
      bytes_ += builder_.number(number, 4);
    file_size(0, bytes_.size()).size(0, bytes_.size());
    return base + at;
  }

  Found found() const { return found({}); }
  Found found(const std::vector<VersionNeed>& needs) const {
    return refusals(ElfBytes(bytes_, wide_, little_), needs);
  }

  static constexpr std::size_t base = 0x10000;

private:
  ElfBuilder builder_;
  bool wide_, little_;
  std::string bytes_;
};

constexpr std::size_t soname = 14; // a tag that no check uses

Library wide() {
  return Library(true);
}

} // namespace

TEST_CASE("every check has a message and a description that follows a file's name") {
  std::set<std::string_view> described;
  for (int i = 0; i <= static_cast<int>(Refusal::static_tls); ++i) {
    const LoaderCheck& check = check_of(static_cast<Refusal>(i));
    CHECK(check.refusal == static_cast<Refusal>(i));
    CHECK_FALSE(check.message.empty());
    CHECK_FALSE(check.described.ends_with('.'));
    CHECK((check.since == 0 || check.since > 17));
    CHECK((check.until == 0 || check.until < 43));
  }
}

TEST_CASE("a sound library of either class and byte order is not refused") {
  for (const bool wide : {false, true})
    for (const bool little : {false, true})
      CHECK(Library(wide, little).found().empty());
}

TEST_CASE("fields of the ELF header") {
  CHECK(wide().set(6, 2, 1).found() == Found{Refusal::ident_version});
  CHECK(wide().set(7, 9, 1).found() == Found{Refusal::os_abi});
  CHECK(wide().set(8, 1, 1).found() == Found{Refusal::abi_version});
  CHECK(wide().set(7, 3, 1).set(8, 3, 1).found().empty()); // GNU, with IFUNCs
  CHECK(wide().set(7, 3, 1).set(8, 4, 1).found() == Found{Refusal::abi_version});
  CHECK(wide().set(15, 1, 1).found() == Found{Refusal::ident_padding});
  CHECK(wide().set(20, 0, 4).found() == Found{Refusal::header_version});
  CHECK(wide().set(54, 64, 2).found() == Found{Refusal::header_size});
  CHECK(wide().word(32, 0x100000).found() == Found{Refusal::headers_outside});
  CHECK(wide().set(56, 0xffff, 2).found() == Found{Refusal::headers_outside});
}

TEST_CASE("files that no loader of glibc is for have no refusals: objects, and code of GPUs") {
  constexpr std::size_t relocatable = 1, amd_gpu = 224;
  CHECK(wide().set(7, 9, 1).set(16, relocatable, 2).found().empty());
  CHECK(wide().set(7, 64, 1).set(18, amd_gpu, 2).found().empty());
}

TEST_CASE("segments are congruent in pages; their alignment counts before glibc 2.35 alone") {
  for (const bool is_wide : {false, true}) {
    const Library sound(is_wide);
    Library library = sound;
    CHECK(library.offset(0, 0x10).found().front() == Refusal::misaligned_segment);
    CHECK((library = sound).alignment(0, 0x10).found() == Found{Refusal::small_alignment});
    CHECK((library = sound).alignment(0, 0x20000).found() == Found{Refusal::misplaced_segment});
    CHECK((library = sound).alignment(0, 0x8000).found().empty());
  }
}

TEST_CASE("segments that are missing, out of order, too large or cut") {
  CHECK(wide().type(0, 0).found() == Found{Refusal::no_segments, Refusal::dynamic_section_outside});
  CHECK(wide().type(1, 0).found() == Found{Refusal::no_dynamic_section});
  CHECK(wide().file_size(1, 0).found() == Found{Refusal::no_dynamic_section}); // debug information alone
  CHECK(wide().size(0, std::size_t{1} << 60U).found() == Found{Refusal::unordered_segments});
  CHECK(wide().type(2, 1).address(2, 0x1000).alignment(2, 0x1000).flags(2, 4).found().front() ==
        Refusal::unordered_segments);
  CHECK(wide().file_size(0, 0x10000).size(0, 0x10000).found() == Found{Refusal::segment_outside});
  CHECK(wide().file_size(0, 0xfff).size(0, 0xfff).found().empty()); // within the last page
}

TEST_CASE("the part that is protected after relocation is mapped") {
  constexpr std::size_t relro = 0x6474e552;
  Library library = wide();
  library.set(18, 183, 2).type(2, relro).address(2, Library::base).size(2, 0x1000);
  CHECK(library.found().empty());
  CHECK(library.size(2, 0x100000).found() == Found{Refusal::relro_outside});
}

TEST_CASE("a program is refused where it is opened as a library") {
  CHECK(wide().set(16, 2, 2).found() == Found{Refusal::fixed_address});
  CHECK(wide().entry(soname, 0x6ffffffb, 0x08000000).found() == Found{Refusal::program});
  CHECK(wide().entry(soname, 0x6ffffffb, 0x40).found() == Found{Refusal::not_for_opening});
  CHECK(check_of(Refusal::program).only_opened);
  CHECK(check_of(Refusal::program).since == 30);
}

TEST_CASE("the dynamic section is in a segment that the loader can write") {
  CHECK(wide().address(1, 0x900000).found() == Found{Refusal::dynamic_section_outside});
  CHECK(wide().flags(0, 5).flags(1, 4).found() == Found{Refusal::read_only_dynamic_section});
  CHECK(wide().flags(0, 5).found() == Found{Refusal::protected_dynamic_section});
  CHECK(check_of(Refusal::read_only_dynamic_section).until == 34);
}

TEST_CASE("the page that a segment ends in is mapped whole, unless the segment ends with zeros") {
  CHECK(wide().file_size(0, 0xe0).size(0, 0xe0).found().empty());
  CHECK(wide().file_size(0, 0xe0).size(0, 0xe1).found() == Found{Refusal::dynamic_section_outside});
}

TEST_CASE("tables of the dynamic section") {
  constexpr std::size_t outside = 0x900000, rela = 7, rela_size = 8, plt_kind = 20, rel = 17;
  CHECK(wide().entry(5, 0x6000000f, 0).found() == Found{Refusal::no_strings});
  CHECK(wide().entry(5, 5, outside).found() == Found{Refusal::table_outside});
  CHECK(wide().entry(soname, 6, outside).found() == Found{Refusal::table_outside});
  CHECK(wide().entry(soname, rela, Library::base).found() ==
        Found{Refusal::missing_table, Refusal::relocation_size});
  CHECK(wide().entry(soname, rela_size, 24).found().empty());
  CHECK(wide().entry(soname, plt_kind, rela).found() == Found{Refusal::missing_table});
  CHECK(wide().entry(soname, plt_kind, rel).found() ==
        Found{Refusal::missing_table, Refusal::relocation_kind});
  CHECK(Library(false).set(18, 3, 2).entry(soname, plt_kind, rel).found() ==
        Found{Refusal::missing_table}); // i386
  CHECK(wide().entry(soname, 0x6ffffef5, outside).found() == Found{Refusal::table_outside});
  CHECK(wide().entry(soname, 4, outside).found() == Found{Refusal::table_outside});
}

TEST_CASE("hash tables end in their segment, and the filter has a power of two of them") {
  constexpr std::size_t gnu = 0x6ffffef5, old = 4;
  const auto found_with = [](std::size_t tag, std::initializer_list<std::size_t> numbers) {
    Library library = wide();
    const std::size_t at = library.append(numbers);
    return library.entry(soname, tag, at).found();
  };
  CHECK(found_with(gnu, {1, 1, 1, 0, 0, 0, 0}).empty());
  CHECK(found_with(gnu, {0, 1, 1, 0, 0, 0, 0}).empty()); // nothing is found in it, which is no refusal
  CHECK(found_with(gnu, {1, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0}) == Found{Refusal::hash_table});
  CHECK(found_with(gnu, {0x10000000, 1, 1, 0, 0, 0, 0}) == Found{Refusal::table_outside});
  CHECK(found_with(gnu, {1, 1, 0x80000000, 0, 0, 0, 0}) == Found{Refusal::table_outside});
  CHECK(found_with(old, {1, 1, 0, 0}).empty());
  CHECK(found_with(old, {1, 0xffffffff, 0, 0}) == Found{Refusal::table_outside});
}

TEST_CASE("symbol versions and packed relocations") {
  constexpr std::size_t version_symbols = 0x6ffffff0, needs = 0x6ffffffe, packed = 36, packed_entry = 37;
  CHECK(wide().entry(version_symbols, 0x6000000f, 0).found() == Found{Refusal::no_version_symbols});
  CHECK(wide().entry(needs, needs, Library::base).found() == Found{Refusal::needs_version});
  Library library = wide();
  library.entry(soname, packed, Library::base).entry(10, packed_entry, 8);
  CHECK(library.found().empty());
  CHECK(library.found({{"libc.so.6", {"GLIBC_2.17"}}}) == Found{Refusal::packed_relocations});
  CHECK(library.found({{"libc.so.6", {"GLIBC_ABI_DT_RELR"}}}).empty());
  CHECK(library.entry(packed_entry, packed_entry, 4).found() == Found{Refusal::packed_relocation_size});
}

TEST_CASE("a library's executable stack is that of PT_GNU_STACK, else of the machine's default") {
  for (const bool is_wide : {false, true}) {
    const Library sound(is_wide);
    Library library = sound;
    CHECK(library.flags(2, 7).found() == Found{Refusal::executable_stack});
    CHECK((library = sound).type(2, 0).found() == Found{Refusal::executable_stack});
    CHECK(library.set(18, 183, 2).found().empty());                  // aarch64
    CHECK((library = sound).flags(2, 7).type(2, 3).found().empty()); // a program's interpreter
  }
  CHECK(check_of(Refusal::executable_stack).since == 41);
}

TEST_CASE("static TLS is refused where it is more than the loader reserves") {
  constexpr std::size_t tls = 7, flags = 30, static_tls = 0x10;
  Library library = wide();
  library.type(2, tls).size(2, 4096).set(18, 183, 2).entry(soname, flags, static_tls);
  CHECK(library.found() == Found{Refusal::static_tls});
  CHECK(library.size(2, 128).found().empty());
  CHECK(library.size(2, 4096).entry(flags, flags, 0).found().empty());
}
