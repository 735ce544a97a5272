// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the loader reads of an ELF file, and what its sections, notes and comments tell.
#include "hooks/leak-check/scan/content.hpp"
#include "hooks/leak-check/scan/elf.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/toolchains/archive/packing.hpp"
#include "tests/unit/toolchains/binary/elf_builder.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/machine.hpp"
#include "toolchains/binary/refusals.hpp"
#include "toolchains/library/library.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>

using namespace hostpin;

std::vector<std::string> seeds() {
  std::vector<std::string> result;
  for (const bool wide : {false, true})
    for (const bool little : {false, true})
      result.push_back(
          test::ElfBuilder(wide, little)
              .build("libstdc++.so.6", {"GLIBCXX_3.4.30", "CXXABI_1.3.13"},
                     {{"libm.so.6", {"GLIBC_2.29"}}, {"libc.so.6", {"GLIBC_2.4", "GLIBC_2.34"}}}));
  result.push_back("!<arch>\nx.o/                                            12        `\n" + result.front());
  std::string note =
      test::object_with(".note", std::string("\4\0\0\0\3\0\0\0\3\0\0\0GNU\0\xab\xcd\x01\0", 20), 2);
  note[note.size() - 128 + 4] = 7;
  result.insert(result.end(), {note, test::object_with(".comment", std::string("GCC: 1\0GCC: 2\0", 14), 0),
                               test::object_with(".debug_str", '\1' + std::string(23, '\0'), 0x800),
                               test::object_with(".rodata", "libcuda.so", 2)});
  return result;
}

namespace {

void read_sections_of(const std::string& bytes) {
  const binary::BlobSource source{binary::Blob(bytes)};
  leak::ElfReading reading = leak::read_elf(source);
  const leak::SectionMap map(reading.frame.sections);
  for (const leak::ElfSection& section : reading.frame.sections) {
    map.at(section.offset);
    if (const auto packed = leak::compressed_section(reading.frame, section, source);
        packed && packed->size > section.size)
      std::abort();
  }
  leak::LinkedIn linked_in(reading.frame.sections);
  linked_in.search(0, bytes);
  linked_in.set_facts(reading.facts);
  if (reading.facts.notes.size() > 256 || reading.facts.comment.size() > 256)
    std::abort();
}

/// Of any bytes as either class and byte order, whatever their header says.
void read_refusals_of(std::string_view bytes) {
  for (const bool wide : {false, true})
    for (const bool little : {false, true}) {
      const auto found =
          binary::refusals(binary::ElfBytes(bytes, wide, little), {{"libc.so.6", {"GLIBC_2.17"}}});
      if (std::adjacent_find(found.begin(), found.end(), std::greater_equal<>()) != found.end())
        std::abort(); // each once, in order
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto object = binary::read_shared_object(bytes);
  // Records take 20 bytes each, so more names than that were made up.
  if (object && object->version_definitions.size() > size / 20)
    std::abort();
  if (object && (object->version_needs.size() > size / 16 || object->needed.size() > size / 8))
    std::abort();
  if (object)
    highest_version(*object, "GLIBCXX_"), highest_needed_version(*object, "GLIBC_");
  if (object && binary::elf_kind(bytes) != object->kind)
    std::abort();
  if (const auto kind = binary::elf_kind(bytes); kind && binary::machine_name(*kind).empty())
    std::abort();
  read_refusals_of(bytes);
  read_sections_of(std::string(bytes));
  return 0;
}
