// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/pack/order.hpp"

#include <doctest/doctest.h>

using namespace hostpin::pack;

TEST_CASE("an order comes back as it was given") {
  const Order order{-5,
                    {{Entry::Kind::kept, "/usr/bin/a b\nc", {}},
                     {Entry::Kind::dated, "/t/plan", {}},
                     {Entry::Kind::scratch, "/tmp", {}},
                     {Entry::Kind::link, "/toolchain", "t"}}};
  const auto read = read_order(to_bytes(order));
  REQUIRE(read);
  CHECK(*read == order);
}

TEST_CASE("what is cut or foreign is no order") {
  const std::string whole = to_bytes({1, {{Entry::Kind::kept, "/a", {}}, {Entry::Kind::link, "/b", "c"}}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto read = read_order(whole.substr(0, size));
    // truncated after an entry it is a shorter order
    if (read)
      CHECK(to_bytes(*read) == whole.substr(0, size));
  }
  std::string relative = to_bytes({1, {{Entry::Kind::kept, "a", {}}}});
  CHECK_FALSE(read_order(relative));
  CHECK_FALSE(read_order("PK"));
}
