// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/hooks/fatbin/pieces.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::binary;
using namespace hostpin::test;

TEST_CASE("the number of entries is bounded, whatever capabilities a file declares") {
  std::string bytes;
  for (unsigned architecture = 10; architecture < 3010; architecture += 3)
    bytes += fatbin_of({{2, architecture}, {1, architecture + 1}, {8, architecture + 2}});
  const InputFile file(bytes);
  Holding holding;
  const auto kind = read_device_code(Bytes(file), holding);
  REQUIRE_FALSE(kind);
  CHECK(kind.error().what == "it has more kinds of device code, or names of sources, than any real file");
  CHECK(holding.codes.size() == Holding::most_codes);
  Holding sum;
  sum.add(holding);
  CHECK(sum.overflown);
  CHECK(sum.codes.size() == Holding::most_codes);
}

TEST_CASE("names of sources are stored up to a number of bytes") {
  Holding holding;
  const std::size_t size = 4096;
  for (std::size_t i = 0; i < Holding::most_source_bytes / size + 1; ++i)
    holding.add_source(std::to_string(i) + std::string(size, 'x'));
  CHECK(holding.overflown);
  CHECK(holding.sources.size() * size < Holding::most_source_bytes);
  Holding same;
  for (int i = 0; i < 100000; ++i)
    same.add_source("a.cu");
  CHECK_FALSE(same.overflown);
}

TEST_CASE("a fatbin counts once for each kind of code in it, and as idle while nothing in it runs") {
  Holding holding;
  const DeviceCodeHead sm_80{.code = DeviceCode::cubin, .architecture = 80};
  holding.begin_fatbin();
  holding.add(sm_80, CodeUse::none);
  CHECK(holding.idle == 1);
  holding.add(sm_80, CodeUse::link);
  CHECK(holding.idle == 1);
  CHECK_FALSE(holding.is_idle());
  holding.add(sm_80);
  holding.add(sm_80);
  holding.begin_fatbin();
  holding.add(sm_80);
  CHECK(holding.idle == 0);
  CHECK(holding.fatbins == 2);
  const HeldAmount& amount = holding.codes.at({{8, 0}, DeviceCode::cubin});
  CHECK(amount.fatbins == 2);
  CHECK(amount.entries == 3);
  holding.begin_fatbin();
  CHECK(holding.idle == 0); // it holds nothing, and was made for something
  CHECK(holding.fatbins == 3);
}
