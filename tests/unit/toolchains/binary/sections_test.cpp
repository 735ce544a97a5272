// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/binary/builder.hpp"
#include "toolchains/binary/sections.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::binary;
using test::ObjectBuilder;

namespace {

/// `NAME=CONTENT` of each section that has a name; `!WHAT` for damage, `-` for no object.
std::string sections(const std::string& text) {
  const InputFile file(text);
  const auto table = SectionTable::open(Bytes(file));
  if (!table)
    return '!' + table.error().what;
  if (!*table)
    return "-";
  std::string all;
  const auto read = (*table)->each([&](const ObjectSection& section) {
    auto name = (*table)->name_bytes(section);
    if (name)
      name = name->substr(0, name->find('\0'));
    const auto content = (*table)->content(section);
    if (!name)
      all += "? ";
    else if (!name->empty() && *name != ".shstrtab")
      all += std::string(*name) + '=' + std::string(content ? content->up_to(0, 20) : "!") + ' ';
    return true;
  });
  return read ? all : all + '!' + read.error().what;
}

void put(std::string& text, std::size_t at, const std::string& bytes) {
  text.replace(at, bytes.size(), bytes);
}

} // namespace

TEST_CASE("sections are read in both classes and byte orders, wherever their number stands") {
  for (const bool wide : {false, true})
    for (const bool little : {false, true}) {
      CAPTURE(wide);
      CAPTURE(little);
      ObjectBuilder builder(wide, little);
      builder.add(".text", "code").add(".data", "1234567").add("", "unnamed").add(".bss", "", 8);
      CHECK(sections(builder.build()) == ".text=code .data=1234567 .bss= ");
      CHECK(sections(builder.numbers_in_first_section().build()) == ".text=code .data=1234567 .bss= ");
    }
}

TEST_CASE("programs, shared libraries and other files have no sections for us") {
  for (const std::uint16_t kind : std::initializer_list<std::uint16_t>{0, 2, 3, 4})
    CHECK(sections(ObjectBuilder().kind(kind).add(".gnu.lto_.lto.1", "x").build()) == "-");
  CHECK(sections("!<arch>\n") == "-");
  CHECK(sections("") == "-");
}

TEST_CASE("many sections are read in pieces, long tables of names in parts") {
  ObjectBuilder builder;
  std::string expected;
  for (int i = 0; i < 3000; ++i) {
    const std::string name = ".text." + std::to_string(i);
    builder.add(name, std::to_string(i));
    expected += name + '=' + std::to_string(i) + ' ';
  }
  CHECK(sections(builder.numbers_in_first_section().build()) == expected);

  const std::string long_name(3U << 20U, 'n'), cut = long_name.substr(0, SectionTable::longest_name);
  ObjectBuilder large;
  large.add(".a", "1").add(long_name, "2").add(long_name, "3").add(".b", "4");
  CHECK(sections(large.build()) == ".a=1 " + cut + "=2 " + cut + "=3 .b=4 ");
}

TEST_CASE("tables outside the file are damage") {
  const std::string good = ObjectBuilder().add(".text", "code").build();
  const std::string past_end = "!its section headers are past its end";
  std::string bad = good;
  SUBCASE("cut anywhere, nothing is made up") {
    for (std::size_t size = 16; size < good.size(); ++size)
      CHECK(sections(good.substr(0, size)).starts_with('!'));
  }
  SUBCASE("sections behind the end") {
    put(bad, 40, test::number(bad.size() - 10, 8));
    CHECK(sections(bad) == past_end);
    put(bad, 40, test::number(~std::uint64_t{0} - 10, 8));
    CHECK(sections(bad) == past_end);
  }
  SUBCASE("more of them than there are") {
    put(bad, 60, test::number(60000, 2));
    CHECK(sections(bad) == past_end);
  }
  SUBCASE("a number without bounds in the first section") {
    bad = ObjectBuilder().numbers_in_first_section().add(".text", "code").build();
    const std::size_t table = bad.size() - 3 * 64;
    put(bad, table + 32, test::number(~std::uint64_t{0}, 8));
    CHECK(sections(bad) == "!it has more sections than any real object");
    put(bad, table + 32, test::number(1U << 20U, 8));
    CHECK(sections(bad) == past_end);
  }
  SUBCASE("headers of another size") {
    put(bad, 58, test::number(32, 2));
    CHECK(sections(bad) == "!its section headers have another size than those of ELF");
  }
  SUBCASE("no section with names") {
    put(bad, 62, test::number(9, 2));
    CHECK(sections(bad) == "!the names of its sections are past its end");
  }
  SUBCASE("zeros instead of sections") {
    bad.replace(bad.size() - 3 * 64, 3 * 64, 3 * 64, '\0');
    CHECK(sections(bad) == "!its table of sections does not hold the one with their names");
  }
  SUBCASE("a section's content behind the end") {
    put(bad, bad.size() - 2 * 64 + 24, test::number(1U << 30U, 8));
    CHECK(sections(bad) == ".text=! ");
  }
  SUBCASE("a section's name behind the names") {
    put(bad, bad.size() - 2 * 64, test::number(100, 4));
    CHECK(sections(bad) == "? ");
  }
  SUBCASE("an unknown class or byte order") {
    put(bad, 4, "\3");
    CHECK(sections(bad) == "!its ELF header names no class and byte order");
    bad = good;
    put(bad, 5, "\7");
    CHECK(sections(bad) == "!its ELF header names no class and byte order");
  }
}

TEST_CASE("an object without sections is read") {
  std::string text = ObjectBuilder().build();
  text.replace(40, 8, std::string(8, '\0'));
  CHECK(sections(text) == "");
}
