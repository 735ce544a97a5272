// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/bitstream/gcc.hpp"
#include "tests/unit/hooks/lto-check/bitstream/telling.hpp"
#include "tests/unit/toolchains/binary/builder.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::lto;
using test::deflated;
using test::gcc_version_section;
using test::number;
using test::ObjectBuilder;
using test::told;

namespace {

std::string text(const std::optional<GccVersion>& version) {
  return version ? std::to_string(version->major) + '.' + std::to_string(version->minor) : "none";
}

} // namespace

TEST_CASE("a version is read in either byte order of the compiler's machine") {
  CHECK(text(gcc_version(number(13, 2) + number(1, 2))) == "13.1");
  CHECK(text(gcc_version(number(13, 2, false) + number(1, 2, false))) == "13.1");
  CHECK(text(gcc_version(number(12, 2) + number(0, 2))) == "12.0");
  CHECK(text(gcc_version(number(255, 2) + number(259, 2))) == "255.259");
  CHECK(text(gcc_version(std::string(4, '\0'))) == "none");
  CHECK(text(gcc_version("abcd")) == "none");
  CHECK(text(gcc_version(std::string("\x0d\0\1", 3))) == "none");
}

TEST_CASE("a version is inflated from the first bytes of a zlib stream") {
  const std::string stream = deflated(number(8, 2) + number(1, 2) + std::string(100'000, 'x'));
  CHECK(text(gcc_version_in_zlib(stream)) == "8.1");
  CHECK(text(gcc_version_in_zlib(stream.substr(0, 60))) == "8.1");
  CHECK(text(gcc_version_in_zlib(deflated(number(8, 2) + number(1, 2)))) == "8.1");
  CHECK(text(gcc_version_in_zlib(deflated("\x08"))) == "none");
  CHECK(text(gcc_version_in_zlib(stream.substr(0, 1))) == "none");
  CHECK(text(gcc_version_in_zlib("")) == "none");
  CHECK(text(gcc_version_in_zlib("\x28\xb5\x2f\xfd, which is zstd")) == "none");
}

TEST_CASE("GCC's code is told with its version, its compiler and whether machine code is beside it") {
  CHECK(told(test::gcc_object(13, 1)) == "gcc-lto 13.1 slim [GCC: (test) 1.2.3]");
  CHECK(told(test::gcc_object(9, 2, false)) == "gcc-lto 9.2 fat [GCC: (test) 1.2.3]");
  CHECK(told(test::old_gcc_object(8, 1, true)) == "gcc-lto 8.1 slim [GCC: (test) 1.2.3]");
  CHECK(told(test::old_gcc_object(8, 1, false)) == "gcc-lto 8.1 fat [GCC: (test) 1.2.3]");
  for (const bool wide : {false, true})
    for (const bool target_little : {false, true})
      for (const bool host_little : {false, true})
        CHECK(told(ObjectBuilder(wide, target_little)
                       .add(".gnu.lto_.lto.1", gcc_version_section(11, 3, true, host_little))
                       .build()) == "gcc-lto 11.3 slim []");
}

TEST_CASE(
    "the host half of a .cu file is known by nvcc's label, where there is assembler text to define it") {
  const std::string table("main\0\0\0\0aaaaaaaabbbbfatbinData\0\0\2\0aaaaaaaabbbb", 47);
  const auto has_label = [&](const char* assembler, const std::string& symbols) {
    const std::string bytes = ObjectBuilder()
                                  .add(".gnu.lto_.lto.4f2", gcc_version_section(13, 1, true))
                                  .add(assembler, "packed")
                                  .add(".gnu.lto_.symtab.4f2", symbols)
                                  .build();
    bool found = false;
    scan_lto_bytes("x.o", bytes, llvm_producer, [&](const LtoInput& input) {
      REQUIRE(input.streams.size() == 1);
      found = input.streams.front().device_label;
    });
    return found;
  };
  CHECK(has_label(".gnu.lto_.asm.4f2", table));
  CHECK_FALSE(has_label(".gnu.lto_.opts.4f2", table)); // only refers to it
  CHECK_FALSE(has_label(".gnu.lto_.asm.4f2", "fatbinData2"));
}

TEST_CASE("what only resembles intermediate code is none") {
  CHECK(told(ObjectBuilder()
                 .add(".gnu.debuglto_.debug_info", "x")
                 .add(".gnu.offload_lto_.decls.1", "x")
                 .add(".gnu.lto", "x")
                 .add(".llvm.lto.more", "x")
                 .add("__nv_relfatbin2", "x")
                 .build()) == "none");
}

TEST_CASE("every translation unit that ld -r joined counts, those of GCC 9 too") {
  const auto version = [](std::uint16_t major, bool slim = true) {
    return gcc_version_section(major, 0, slim);
  };
  const std::string old = deflated(number(8, 2) + number(1, 2) + "more");
  CHECK(told(ObjectBuilder()
                 .add(".gnu.lto_.lto.1", version(12))
                 .add(".gnu.lto_.decls.1", deflated("x"))
                 .add(".gnu.lto_.decls.2", old)
                 .add(".gnu.lto_.decls.3", deflated("x"))
                 .add(".gnu.lto_.lto.3", version(14))
                 .add(".gnu.lto_.lto.4", version(12))
                 .add(".gnu.lto_.lto.5", version(12, false))
                 .add(".comment", std::string("GCC: 12\0GCC: 14\0GCC: 12\0", 24))
                 .build()) ==
        "gcc-lto 12.0 slim []; gcc-lto 14.0 slim []; gcc-lto 12.0 fat []; gcc-lto 8.1 fat []");
}

TEST_CASE("of the compilers in .comment only a single GCC is a producer") {
  const auto with = [](const std::string& comment) {
    return told(ObjectBuilder()
                    .add(".comment", comment)
                    .add(".gnu.lto_.lto.1", gcc_version_section(12, 0, true))
                    .build());
  };
  CHECK(with(std::string("GCC: 12\0GCC: 12\0", 16)) == "gcc-lto 12.0 slim [GCC: 12]");
  CHECK(with(std::string("clang version 14\0GCC: 12\0", 25)) == "gcc-lto 12.0 slim [GCC: 12]");
  CHECK(with(std::string("GCC: 12\0GCC: 14\0", 16)) == "gcc-lto 12.0 slim []");
  CHECK(with("GCC: without an end") == "gcc-lto 12.0 slim []");
  CHECK(with("") == "gcc-lto 12.0 slim []");
  std::string many;
  for (int i = 0; i < 300; ++i)
    many += std::string("GCC: 12\0", 8);
  CHECK(with(many) == "gcc-lto 12.0 slim [GCC: 12]");
  CHECK(with(many + std::string("GCC: 14\0", 8)) == "gcc-lto 12.0 slim []");
}

TEST_CASE("damaged code of GCC is told, and no version is made up") {
  const auto object = [](const std::string& name, const std::string& content) {
    return told(ObjectBuilder().add(name, content).build());
  };
  const std::string no_version = "!it is damaged: the section .gnu.lto_.lto contains no version";
  CHECK(object(".gnu.lto_.lto.1", "") == no_version);
  CHECK(object(".gnu.lto_.lto.1", gcc_version_section(12, 0, true).substr(0, 7)) == no_version);
  CHECK(object(".gnu.lto_.lto.1", std::string(8, '\0')) == no_version);
  const std::string neither =
      "!it is damaged: its GCC LTO code has no version: neither a section .gnu.lto_.lto, as "
      "from GCC 10 on, nor a zlib stream of GCC 9 or older";
  CHECK(object(".gnu.lto_.decls.1", "") == neither);
  CHECK(object(".gnu.lto_.decls.1", "something else") == neither);
  // What is left of an object that was stripped in part.
  CHECK(object(".gnu.lto_.opts", "-O2") == "gcc-lto - fat []");
}

TEST_CASE("code that is compressed in another way than its version's section names is damaged") {
  const std::string zlib = deflated("anything"), zstd("\x28\xB5\x2F\xFD and more");
  for (const bool little : {false, true}) {
    CAPTURE(little);
    const auto object = [&](std::uint16_t compression, const std::string& code) {
      return told(ObjectBuilder()
                      .add(".gnu.lto_.decls.1", code)
                      .add(".gnu.lto_.lto.1", gcc_version_section(12, 0, true, little, compression))
                      .build());
    };
    const std::string sound = "gcc-lto 12.0 slim []";
    CHECK(object(0, zlib) == sound);
    CHECK(object(1, zstd) == sound);
    const std::string damaged = sound + "; !it is damaged: the section .gnu.lto_.lto names ";
    CHECK(object(0, zstd) == damaged + "zlib as the compression of its GCC LTO code, which is zstd's");
    CHECK(object(1, zlib) == damaged + "zstd as the compression of its GCC LTO code, which is zlib's");
    CHECK(object(2, zstd) == object(0, zstd)); // lto1 takes whatever is not zstd for zlib
    for (const std::uint16_t compression : {std::uint16_t{0}, std::uint16_t{1}})
      for (const char* const code : {"", "x", "anything"})
        CHECK(object(compression, code).ends_with("which uses neither"));
  }
}

TEST_CASE("damage behind a version leaves the version known") {
  std::string text = ObjectBuilder()
                         .add(".gnu.lto_.lto.1", gcc_version_section(12, 0, true))
                         .add("__nv_relfatbin", "12345678")
                         .build();
  CHECK(told(text) ==
        "gcc-lto 12.0 slim []; !it is damaged: a section of device code contains something other "
        "than fatbins");
}
