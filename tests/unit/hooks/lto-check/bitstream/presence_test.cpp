// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "tests/unit/hooks/lto-check/bitstream/samples.hpp"
#include "tests/unit/hooks/lto-check/bitstream/telling.hpp"
#include "toolchains/binary/kind.hpp"

#include <sys/stat.h>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::binary;

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
