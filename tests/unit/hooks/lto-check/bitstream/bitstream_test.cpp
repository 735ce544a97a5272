// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/bitstream/bitstream.hpp"
#include "tests/tree.hpp"
#include "tests/unit/hooks/lto-check/bitstream/samples.hpp"
#include "tests/unit/hooks/lto-check/bitstream/telling.hpp"
#include "tests/unit/toolchains/binary/builder.hpp"
#include "toolchains/binary/fatbin.hpp"
#include "toolchains/binary/kind.hpp"

#include <set>
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::lto;
using binary::may_hold_lto;
using test::fatbin;
using test::number;
using test::ObjectBuilder;
using test::Piece;
using test::told;

namespace {

std::string told_of_file(const std::string& path) {
  std::string text;
  scan_lto_input(path, [&](const LtoInput& input) { text += (text.empty() ? "" : "; ") + told(input); });
  return text;
}

std::set<std::string> streams_of(std::string_view bytes) {
  std::set<std::string> all;
  scan_lto_bytes("x", bytes, llvm_producer, [&](const LtoInput& input) {
    for (const Bitstream& stream : input.streams)
      all.insert(told(stream));
  });
  return all;
}

constexpr Piece ptx{1, 80, 8, 4}, cubin{2, 80, 1, 7}, ltoir{8, 80, 1, 61};

} // namespace

TEST_CASE("formats have the names that messages use") {
  CHECK(std::string(to_string(LtoFormat::gcc_lto)) == "gcc-lto");
  CHECK(std::string(to_string(LtoFormat::llvm_bitcode)) == "llvm-bitcode");
  CHECK(std::string(to_string(LtoFormat::llvm_fat)) == "llvm-fat");
  CHECK(std::string(to_string(LtoFormat::cuda_ltoir)) == "cuda-ltoir");
}

TEST_CASE("what is no input of a compiler gives one input without streams") {
  for (const std::string text : {"INPUT(-lc)", "GROUP ( libc.so.6 )", "int main() {}", "B9"})
    CHECK(told(text) == "none");
  CHECK(told(test::ObjectBuilder().add(".text", "code").build()) == "none");
  CHECK(told(test::ObjectBuilder().kind(3).add(".gnu.lto_.lto.1", "x").build()) == "none");
}

TEST_CASE("a file that is empty or ends within its first bytes is unreadable, an empty member is not") {
  CHECK(told("") == "!it is damaged: it is empty");
  for (const std::string text : {"\x7f"
                                 "EL",
                                 "BC\xC0", "!<ar", "\xED\x43", "B"})
    CHECK(told(text) == "!it is damaged: it ends after its first bytes");
  CHECK(told(test::archive({{"a.o", ""}})) == "x.o(a.o): none");
}

TEST_CASE("members of archives are told with their streams and their damage") {
  const std::string good = test::gcc_object(12, 0);
  CHECK(told(test::archive({{"a.o", good},
                            {"b.txt", "text"},
                            {"c.o", good.substr(0, 100)},
                            {"d.bc", test::bitcode("LLVM16.0.6")}})) ==
        "x.o(a.o): gcc-lto 12.0 slim [GCC: (test) 1.2.3]; x.o(b.txt): none; "
        "x.o(c.o): !it is damaged: its section headers are past its end; "
        "x.o(d.bc): llvm-bitcode 16.0 slim [LLVM16.0.6]");
}

TEST_CASE("more versions in one input than any real one has are damage") {
  test::ObjectBuilder builder;
  for (std::uint16_t i = 1; i <= 300; ++i)
    builder.add(".gnu.lto_.lto." + std::to_string(i), test::gcc_version_section(12, i, true));
  CHECK(told(builder.build()).ends_with("it contains more versions of LTO code than any real input"));
}

TEST_CASE("a truncated input tells no other streams, and is unreadable if it lost any") {
  const auto holds = [](const std::string& sample, bool whole_parts) {
    const std::set<std::string> all = streams_of(sample);
    for (std::size_t size = 0; size < sample.size(); ++size) {
      const std::string cut = sample.substr(0, size); // of exactly this size, for sanitizers
      const std::set<std::string> left = streams_of(cut);
      CAPTURE(size);
      REQUIRE(std::includes(all.begin(), all.end(), left.begin(), left.end()));
      if (left != all && whole_parts && size > 8) // an archive of no members is whole
        REQUIRE(told(cut).find('!') != std::string::npos);
    }
  };
  for (const std::string& sample : test::single_samples())
    holds(sample, true);
  for (const std::string& sample : test::samples())
    holds(sample, false);
}

TEST_CASE("files are scanned as bytes are") {
  const test::Tree scratch;
  for (const std::string& sample : test::samples()) {
    std::vector<Bitstream> in_memory, in_file;
    const auto collect = [](std::vector<Bitstream>& all) {
      return [&all](const LtoInput& input) {
        all.insert(all.end(), input.streams.begin(), input.streams.end());
      };
    };
    scan_lto_bytes("x", sample, llvm_producer, collect(in_memory));
    scan_lto_input(scratch.write("x", sample), collect(in_file));
    CHECK(in_memory == in_file);
  }
}

TEST_CASE("what cannot be read as a file is unreadable at once") {
  const test::Tree scratch;
  const std::string fifo = scratch.path("fifo");
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(told_of_file(fifo) == "!it cannot be read: it is not a regular file");
  CHECK(told_of_file("/") == "!it cannot be read: it is a directory");
  CHECK(told_of_file(scratch.path("absent")).starts_with("!it cannot be read: "));
  CHECK(told_of_file(scratch.write("empty.o", "")).ends_with("it is damaged: it is empty"));
}

TEST_CASE("ten gigabytes of nothing are told at once, behind any magic") {
  const test::Tree scratch;
  const struct {
    std::string head, told;
  } rows[] = {
      {"", "none"},
      {test::ObjectBuilder().build().substr(0, 40) + test::number(std::uint64_t{5} << 30U, 8) +
           test::ObjectBuilder().build().substr(48, 14) + "\1\0\0\0",
       "!it is damaged: its table of sections does not hold the one with their names"},
      {test::bitcode_magic + std::string(4, '\0'),
       "!it is damaged: its bitcode contains something other than blocks"},
      {"!<arch>\n", "!it is a damaged archive: there is no member header where one is expected"},
      {test::number(0xba55ed50, 4) + test::number(1, 2) + test::number(16, 2) +
           test::number(std::uint64_t{9} << 30U, 8),
       "!it is damaged: an entry of a fatbin in it reaches past the end of the fatbin"},
  };
  for (const auto& row : rows) {
    const std::string path = scratch.write("huge", row.head);
    REQUIRE(::truncate(path.c_str(), std::int64_t{10} << 30U) == 0);
    std::string text = told_of_file(path);
    if (const std::size_t at = text.find(path); at != std::string::npos)
      text.replace(at, path.size(), "huge");
    CHECK(text == row.told);
  }
}

TEST_CASE("LTO-IR is told by container version and architecture, whatever lies beside it") {
  const struct {
    std::vector<Piece> pieces;
    const char* told;
  } rows[] = {
      {{ltoir}, "cuda-ltoir 1.61 slim sm_80 []"},
      {{ptx, ltoir}, "cuda-ltoir 1.61 slim sm_80 [PTX ISA 8.4]"},
      {{ltoir, ptx}, "cuda-ltoir 1.61 slim sm_80 [PTX ISA 8.4]"},
      {{cubin, ltoir}, "cuda-ltoir 1.61 fat sm_80 []"},
      {{cubin, {8, 90, 1, 61}}, "cuda-ltoir 1.61 slim sm_90 []"},
      {{cubin, ltoir, {8, 90, 1, 61}, {1, 90, 9, 0}, ptx},
       "cuda-ltoir 1.61 fat sm_80 [PTX ISA 9.0]; cuda-ltoir 1.61 slim sm_90 [PTX ISA 9.0]"},
      {{ptx, cubin}, "none"},
      {{{77, 80, 1, 61}}, "none"},
      {{}, "none"},
  };
  for (const auto& row : rows) {
    for (const char* section : {"__nv_relfatbin", ".nv_fatbin"})
      CHECK(told(ObjectBuilder().add(section, fatbin(row.pieces)).build()) == row.told);
    CHECK(told(fatbin(row.pieces)) == row.told);
  }
}

TEST_CASE("fatbins stand one after another, and equal ones count once") {
  const std::string one = fatbin({ltoir}), older = fatbin({{8, 80, 1, 54}});
  CHECK(told(one + one) == "cuda-ltoir 1.61 slim sm_80 []");
  CHECK(told(one + older + std::string(4, '\0')) ==
        "cuda-ltoir 1.61 slim sm_80 []; cuda-ltoir 1.54 slim sm_80 []");
}

TEST_CASE("a raw .ltoir is LTO-IR without machine code") {
  const std::string raw("\xED\x43\x4E\x7F\x01\x3D more", 11);
  CHECK(told(raw) == "cuda-ltoir 1.61 slim []");
  CHECK(told(raw.substr(0, 5)) == "!it is damaged: it ends before the version of its LTO-IR");
}

TEST_CASE("damaged fatbins are told") {
  const std::string good = fatbin({ltoir}), head = "!it is damaged: ";
  CHECK(told(fatbin({ltoir}, 2)) == head + "a fatbin in it has the unknown version 2");
  CHECK(told(good + "something") == "cuda-ltoir 1.61 slim sm_80 []; " + head +
                                        "a section of device code contains something other than fatbins");
  for (std::size_t size = 4; size < good.size(); ++size)
    CHECK(told(good.substr(0, size)).starts_with(head));
  const auto with = [&](std::size_t at, const std::string& bytes) {
    std::string bad = good;
    bad.replace(at, bytes.size(), bytes);
    return told(bad);
  };
  CHECK(with(8, number(~std::uint64_t{0}, 8)) == head + "a fatbin in it reaches past its end");
  CHECK(with(6, number(0, 2)) == head + "a fatbin in it reaches past its end");
  const std::string entry = head + "an entry of a fatbin in it reaches past the end of the fatbin";
  CHECK(with(16 + 4, number(0, 4)) == entry);
  CHECK(with(16 + 4, number(~0U, 4)) == entry);
  CHECK(with(16 + 8, number(~std::uint64_t{0}, 8)) == entry);
  CHECK(with(16 + 8, number(20, 8)) == head + "a fatbin in it ends within the header of an entry");
}

TEST_CASE("inputs without intermediate code have none, those that cannot be read may") {
  const test::Tree scratch;
  const auto may = [&](const std::string& bytes) { return may_hold_lto(scratch.write("x", bytes)); };
  CHECK_FALSE(may("INPUT(-lc)"));
  CHECK_FALSE(may(test::ObjectBuilder().add(".text", "code").add(".comment", "GCC: 12").build()));
  CHECK_FALSE(
      may(test::ObjectBuilder().add(".nv_fatbin", test::fatbin({{1, 80, 8, 4}, {2, 80, 1, 7}})).build()));
  CHECK_FALSE(may(test::ObjectBuilder().add(".llvmbc", test::bitcode("LLVM19.1.7")).build()));
  CHECK_FALSE(may(test::archive({{"a.o", test::ObjectBuilder().build()}, {"b.o", "text"}})));
  CHECK(may(test::archive({{"a.o", test::ObjectBuilder().build()}, {"b.o", test::gcc_object(12, 0)}})));
  CHECK(may(""));
  std::string behind_the_end = test::ObjectBuilder().add(".llvm.lto", "x").build();
  behind_the_end.replace(behind_the_end.size() - 2 * 64 + 24, 8, test::number(5000, 8));
  CHECK(may(behind_the_end));
  CHECK(may_hold_lto("/"));
  CHECK(may_hold_lto(scratch.path("absent")));
  const std::string fifo = scratch.path("fifo");
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(may_hold_lto(fifo));
}

TEST_CASE("wherever a scan has something to say, something may be there") {
  const test::Tree scratch;
  for (const std::string& sample : test::samples())
    for (std::size_t size = 0; size <= sample.size(); size += size + 40 < sample.size() ? 13 : 1) {
      const std::string path = scratch.write("x", sample.substr(0, size));
      bool something = false;
      scan_lto_input(path, [&](const LtoInput& input) {
        something = something || !input.streams.empty() || input.unreadable;
      });
      CAPTURE(size);
      if (something)
        REQUIRE(may_hold_lto(path));
    }
}
