// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/repeated.hpp"
#include "tests/unit/toolchains/binary/elf_builder.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/binary/elf.hpp"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::binary;
using hostpin::test::ElfBuilder;
using Strings = std::vector<std::string>;

namespace {

const Strings versions{"GLIBCXX_3.4", "GLIBCXX_3.4.30", "CXXABI_1.3.13"};

std::string sample(bool wide, bool little) {
  return ElfBuilder(wide, little).build("libstdc++.so.6", versions);
}

std::string refusal(const std::string& bytes) {
  const auto object = read_shared_object(bytes);
  return object ? "not refused" : object.error().message;
}

/// The library this very program runs with.
std::string own_library() {
  const auto maps = DiskFiles().read("/proc/self/maps", std::size_t{1} << 24);
  REQUIRE(maps);
  const std::size_t name = maps->find("/libstdc++.so");
  if (name == std::string::npos)
    return {};
  const std::size_t begin = maps->rfind(' ', name) + 1;
  const auto bytes =
      DiskFiles().read(maps->substr(begin, maps->find('\n', name) - begin), std::size_t{1} << 26);
  REQUIRE(bytes);
  return *bytes;
}

} // namespace

TEST_CASE("a shared library of either class and byte order is read") {
  for (const bool wide : {false, true})
    for (const bool little : {false, true}) {
      CAPTURE(wide);
      CAPTURE(little);
      const auto object = read_shared_object(sample(wide, little));
      REQUIRE(object);
      CHECK(object->soname == "libstdc++.so.6");
      CHECK(object->version_definitions == versions);
    }
}

TEST_CASE("an image has the checks of the loader that it fails") {
  std::string bytes = sample(true, true);
  bytes[7] = 9; // the ABI of FreeBSD
  const auto image = read_image(bytes);
  REQUIRE(image);
  REQUIRE(*image);
  CHECK((*image)->refusals == std::vector{Refusal::os_abi});
}

TEST_CASE("a library without versions has none") {
  const auto object = read_shared_object(ElfBuilder(true, true).build("libx.so", {}));
  REQUIRE(object);
  CHECK(object->version_definitions.empty());
}

TEST_CASE("the real library of this program is read") {
  const std::string bytes = own_library();
  if (bytes.empty()) {
    MESSAGE("skipped: this program is linked without a shared libstdc++");
    return;
  }
  const auto object = read_shared_object(bytes);
  REQUIRE(object);
  CHECK(object->soname == "libstdc++.so.6");
  CHECK(std::count(object->version_definitions.begin(), object->version_definitions.end(),
                   "GLIBCXX_3.4.21") == 1);
}

TEST_CASE("what is not a shared library is refused with the reason") {
  CHECK(refusal("") == "it is not an ELF file");
  CHECK(refusal("/* GNU ld script */ INPUT(libstdc++.so.6)") == "it is not an ELF file");
  CHECK(refusal("\x7f"
                "ELF") == "it is not an ELF file");
  std::string bytes = sample(true, true);
  bytes[4] = 3;
  CHECK(refusal(bytes) == "it is an ELF file of an unknown kind");
  bytes = sample(true, true);
  bytes[16] = 1;
  CHECK(refusal(bytes) == "it is an ELF file but not a shared library");
  CHECK(refusal(sample(true, true).substr(0, 70)) ==
        "it is cut short or damaged: its program headers are outside the file");
}

TEST_CASE("a file cut anywhere is refused, never misread") {
  for (const bool wide : {false, true}) {
    const std::string bytes = sample(wide, wide);
    for (std::size_t size = 0; size + 1 < bytes.size(); ++size) {
      CAPTURE(size);
      const auto object = read_shared_object(std::string_view(bytes).substr(0, size));
      // The last record's unused tail is the only part that nothing refers to.
      if (object)
        CHECK(size + 4 >= bytes.size());
    }
  }
}

TEST_CASE("no change of bytes makes the reader fail otherwise than by an error") {
  std::mt19937 random(20240229); // fixed, so that a failure repeats
  Strings originals{sample(false, false), sample(false, true), sample(true, false), sample(true, true)};
  if (std::string real = own_library(); !real.empty())
    originals.push_back(std::move(real));
  for (const std::string& original : originals) {
    // Only the headers and the dynamic part steer the reader, and they lie at the start of small files.
    const std::size_t steering = std::min<std::size_t>(original.size(), 4096);
    for (unsigned round = 0; round < test::repeated(3000); ++round) {
      std::string bytes = original.size() > 65536 ? original.substr(0, 65536) : original;
      for (std::size_t flips = 1 + random() % 4; flips > 0; --flips)
        bytes[random() % steering] = static_cast<char>(random());
      const auto object = read_shared_object(bytes);
      if (object)
        CHECK(object->version_definitions.size() <= bytes.size() / 20);
      else
        CHECK_FALSE(object.error().message.empty());
    }
  }
}

TEST_CASE("a chain of definitions that runs in a circle ends") {
  std::string bytes = sample(true, true);
  // The last 4-byte field of the first record says how far the next one is: 0 bytes would be the same record
  // for ever.
  const std::size_t first = bytes.size() - 4 * 28;
  bytes[first + 16] = 1;
  CHECK(refusal(bytes) == "it is cut short or damaged: its version definitions cannot be read");
}

TEST_CASE("the libraries that a file loads, and the versions it wants of them, are read") {
  for (const bool wide : {false, true})
    for (const bool little : {false, true}) {
      CAPTURE(wide);
      CAPTURE(little);
      const auto object = read_shared_object(
          ElfBuilder(wide, little)
              .build("libx.so", versions,
                     {{"libm.so.6", {"GLIBC_2.29"}}, {"libc.so.6", {"GLIBC_2.4", "GLIBC_2.34"}}}));
      REQUIRE(object);
      CHECK(object->needed == Strings{"libm.so.6", "libc.so.6"});
      CHECK(object->version_definitions == versions);
      REQUIRE(object->version_needs.size() == 2);
      CHECK(object->version_needs[0].library == "libm.so.6");
      CHECK(object->version_needs[0].versions == Strings{"GLIBC_2.29"});
      CHECK(object->version_needs[1].library == "libc.so.6");
      CHECK(object->version_needs[1].versions == Strings{"GLIBC_2.4", "GLIBC_2.34"});
      CHECK(object->kind == ElfKind{wide, 62, !little});
    }
}

TEST_CASE("version needs that end nowhere are refused") {
  const std::string bytes =
      ElfBuilder(true, true).build("libx.so", {}, {{"libc.so.6", {"GLIBC_2.4", "GLIBC_2.34"}}});
  // The last record of the file is a version, whose link to the next is its last word.
  for (const char link : {'\1', '\x10', '\x7f'}) {
    std::string changed = bytes;
    changed[changed.size() - 4] = link;
    CHECK(refusal(changed) == "it is cut short or damaged: its version needs cannot be read");
  }
  CHECK(refusal(bytes.substr(0, bytes.size() - 4)) ==
        "it is cut short or damaged: its version needs cannot be read");
}

TEST_CASE("an archive is of the kind of its first ELF member") {
  const auto member = [](const std::string& name, const std::string& content) {
    std::string header = name;
    header.resize(48, ' ');
    header += std::to_string(content.size());
    header.resize(58, ' ');
    return header + "`\n" + content + (content.size() % 2 == 0 ? "" : "\n");
  };
  const std::string object = sample(false, true);
  const std::string archive = "!<arch>\n" + member("/", "odd") + member("a.o/", object);
  CHECK(elf_kind(archive) == ElfKind{false, 62});
  CHECK(elf_kind(object) == ElfKind{false, 62});
  CHECK(is_archive(archive));
  CHECK(is_archive("!<thin>\n"));
  CHECK_FALSE(is_archive(object));
  for (const std::string& none : {std::string(), std::string("!<arch>\n"), "!<arch>\n" + member("/", "odd"),
                                  std::string("!<thin>\n") + member("a.o/", ""), archive.substr(0, 70)})
    CHECK(elf_kind(none) == std::nullopt);
}
