// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/content/places.hpp"
#include "hooks/leak-check/elf/facts.hpp"
#include "hooks/leak-check/elf/linked_in.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/hooks/leak-check/scan/packing.hpp"
#include "tests/unit/toolchains/binary/elf_builder.hpp"

#include <cstdlib>

using namespace hostpin;

std::vector<std::string> seeds() {
  std::string note =
      test::object_with(".note", std::string("\4\0\0\0\3\0\0\0\3\0\0\0GNU\0\xab\xcd\x01\0", 20), 2);
  note[note.size() - 128 + 4] = 7;
  return {note,
          test::object_with(".comment", std::string("GCC: 1\0GCC: 2\0", 14), 0),
          test::object_with(".debug_str", '\1' + std::string(23, '\0'), 0x800),
          test::object_with(".rodata", "libcuda.so", 2),
          test::ElfBuilder(true, true).build("liba.so", {"V"}, {{"libb.so", {"W"}}}),
          test::ElfBuilder(false, false).build("liba.so", {}, {{"libb.so", {"W"}}})};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const BlobSource source{Blob(bytes)};
  ElfReading reading = read_elf(source);
  const SectionMap map(reading.frame.sections);
  for (const ElfSection& section : reading.frame.sections) {
    map.at(section.offset);
    if (const auto packed = compressed_section(reading.frame, section, source);
        packed && packed->size > section.size)
      std::abort();
  }
  LinkedIn linked_in(reading.frame.sections);
  linked_in.see(0, bytes);
  linked_in.tell(reading.facts);
  if (reading.facts.notes.size() > 256 || reading.facts.comment.size() > 256)
    std::abort();
  return 0;
}
