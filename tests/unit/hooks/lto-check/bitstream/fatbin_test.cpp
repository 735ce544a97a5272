// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/hooks/lto-check/bitstream/telling.hpp"
#include "tests/unit/toolchains/binary/builder.hpp"
#include "toolchains/binary/fatbin.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using test::fatbin;
using test::number;
using test::ObjectBuilder;
using test::Piece;
using test::told;

namespace {

constexpr Piece ptx{1, 80, 8, 4}, cubin{2, 80, 1, 7}, ltoir{8, 80, 1, 61};

} // namespace

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
                                        "there is something else than fatbins in a section of device code");
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
  CHECK(with(16 + 8, number(20, 8)) == head + "a fatbin in it ends within the head of an entry");
}
