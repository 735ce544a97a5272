// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/elf.hpp"
#include "tests/unit/toolchains/archive/packing.hpp"
#include "tests/unit/toolchains/binary/elf_builder.hpp"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <random>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;

namespace {

constexpr std::uint64_t loaded = 2, compressed = 0x800;

binary::Blob this_program() {
  const int descriptor = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  REQUIRE(descriptor >= 0);
  return binary::Blob(std::make_shared<const binary::OpenFile>(descriptor),
                      std::filesystem::file_size("/proc/self/exe"));
}

ElfReading reading(const std::string& bytes) {
  return read_elf(binary::BlobSource{binary::Blob(bytes)});
}

ElfFacts seen_in(const std::string& bytes, std::size_t step) {
  ElfFacts facts;
  LinkedIn linked_in(reading(bytes).frame.sections);
  for (std::size_t at = 0; at < bytes.size(); at += step)
    linked_in.search(at, std::string_view(bytes).substr(at, step + LinkedIn::overlap));
  linked_in.set_facts(facts);
  return facts;
}

} // namespace

TEST_CASE("this very test is a program with sections, a compiler's name and libraries") {
  const ElfReading own = read_elf(binary::BlobSource(this_program()));
  CHECK(own.troubles.empty());
  CHECK(own.facts.type == ElfFacts::Type::program);
  REQUIRE(own.facts.image);
  CHECK_FALSE(own.facts.image->interpreter.empty());
  CHECK_FALSE(own.facts.comment.empty());
  const auto has = [&](const char* name) {
    return std::any_of(own.frame.sections.begin(), own.frame.sections.end(),
                       [&](const ElfSection& section) { return section.name == name; });
  };
  CHECK(has(".text"));
  CHECK(has(".dynstr"));
  CHECK_FALSE(has(""));
}

TEST_CASE("a relocatable object has sections and nothing to load") {
  const ElfReading object =
      reading(test::object_with(".comment", std::string("GCC: 1\0GCC: 2\0GCC: 1\0", 21), 0));
  CHECK(object.troubles.empty());
  CHECK(object.facts.type == ElfFacts::Type::relocatable);
  CHECK_FALSE(object.facts.image);
  CHECK(object.facts.comment == std::vector<std::string>{"GCC: 1", "GCC: 2"});
  REQUIRE(object.frame.sections.size() == 2);
  CHECK(object.frame.sections[0].offset == 64);
  CHECK(object.frame.sections[0].size == 21);
}

TEST_CASE("a library without a section table is read through its segments") {
  const ElfReading library =
      reading(test::ElfBuilder(true, true).build("liba.so", {"V"}, {{"libb.so", {"W"}}}));
  CHECK(library.troubles.empty());
  CHECK(library.facts.type == ElfFacts::Type::library);
  CHECK(library.facts.image.value().soname == "liba.so");
  CHECK(library.frame.sections.empty());
}

TEST_CASE("an ELF file that is cut anywhere is told as such, with what was still read") {
  for (const std::string& whole :
       {test::object_with(".comment", "GCC: 1", 0),
        test::ElfBuilder(false, false).build("liba.so", {"V"}, {{"libb.so", {"W"}}})}) {
    for (std::size_t size = 4; size < whole.size(); ++size) {
      CAPTURE(size);
      CHECK_FALSE(reading(whole.substr(0, size)).troubles.empty());
    }
  }
  const std::string object = test::object_with(".comment", "GCC: 1", 0);
  CHECK(reading(object.substr(0, object.size() - 1)).facts.type == ElfFacts::Type::relocatable);
}

TEST_CASE("a table of more sections than any file has is refused") {
  std::string object = test::object_with(".x", "", 0);
  object[60] = object[61] = '\0'; // no count: the first section holds it
  const std::size_t table = static_cast<unsigned char>(object[40]);
  for (std::size_t i = 0; i < 8; ++i)
    object[table + 32 + i] = '\x7f';
  const ElfReading hostile = reading(object);
  REQUIRE(hostile.troubles.size() == 1);
  CHECK(hostile.troubles[0].find("more than any real file") != std::string::npos);
}

TEST_CASE("a note tells its owner, type and content, and one that overruns its section is a trouble") {
  const auto section = [](const std::string& bytes) {
    std::string object = test::object_with(".note.gnu.build-id", bytes, loaded);
    object[object.size() - 128 + 4] = 7; // SHT_NOTE
    return object;
  };
  const std::string note("\4\0\0\0\3\0\0\0\3\0\0\0GNU\0\xab\xcd\x01\0", 20);
  const ElfReading good = reading(section(note));
  CHECK(good.troubles.empty());
  REQUIRE(good.facts.notes.size() == 1);
  CHECK(good.facts.notes[0].owner == "GNU");
  CHECK(good.facts.notes[0].type == 3);
  CHECK(good.facts.build_id == "abcd01");
  std::string long_one = note;
  long_one[4] = 60;
  CHECK(reading(section(long_one)).troubles.size() == 1);
}

TEST_CASE("a compressed section says how, or that it is not known") {
  using Method = CompressedSection::Method;
  const auto of = [](const std::string& section, const std::string& bytes, std::uint64_t flags) {
    const std::string object = test::object_with(section, bytes, flags);
    const binary::BlobSource source{binary::Blob(object)};
    ElfFrame frame = read_header(source).value();
    REQUIRE(read_sections(source, frame));
    return compressed_section(frame, frame.sections.at(0), source);
  };
  const std::string header(24, '\0');
  CHECK_FALSE(of(".debug_str", header, 0));
  CHECK(of(".debug_str", '\1' + header, compressed).value().method == Method::zlib);
  CHECK(of(".debug_str", '\1' + header, compressed).value().size == 1);
  CHECK(of(".debug_str", '\2' + header, compressed).value().method == Method::zstd);
  CHECK(of(".debug_str", '\3' + header, compressed).value().method == Method::unknown);
  CHECK(of(".debug_str", "\1", compressed).value().method == Method::unknown);
  CHECK(of(".zdebug_str", std::string("ZLIB\0\0\0\0\0\0\0\5x", 13), 0).value().decompressed == 5);
  CHECK_FALSE(of(".zdebug_str", "plain", 0));
}

TEST_CASE("a library that is linked in is seen by its strings, however the file is cut") {
  const std::string_view strings[] = {"terminate called after throwing an instance of '", "/cudart.shm.",
                                      "libcuda.so"};
  std::mt19937 random(7);
  for (unsigned which = 0; which < 8; ++which)
    for (const std::size_t before : {0U, 1U, 1000U, 1023U, 1024U, 5000U}) {
      std::string constants(before, 'w');
      for (unsigned i = 0; i < 3; ++i)
        constants += (which >> i & 1U) != 0 ? std::string(strings[i]) : std::string(strings[i].substr(1));
      const std::string object = test::object_with(".rodata", constants, loaded);
      for (const std::size_t step :
           {std::size_t{1}, std::size_t{100}, std::size_t{1} + random() % 3000, object.size()}) {
        CAPTURE(which);
        CAPTURE(before);
        CAPTURE(step);
        const ElfFacts facts = seen_in(object, step);
        CHECK(facts.has_libstdcxx == ((which & 1U) != 0));
        CHECK(facts.has_cudart == ((which & 2U) != 0));
        CHECK(facts.names_driver == ((which & 4U) != 0));
      }
    }
  CHECK_FALSE(seen_in(test::object_with(".debug_str", "libcuda.so", 0), 1000).names_driver);
}
