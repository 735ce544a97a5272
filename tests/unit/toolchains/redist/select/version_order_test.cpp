// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/select/version_order.hpp"

#include <doctest/doctest.h>

using hostpin::redist::is_older;

TEST_CASE("versions are compared part by part, as numbers") {
  for (const auto& [older, newer] : {std::pair("9.7.1.26", "9.10.2.21"),
                                     {"12.4", "12.4.1"},
                                     {"2.0.2", "2.0.2.1"},
                                     {"9.08", "9.9"},
                                     {"25.09.1.12", "25.10"},
                                     {"1.99999999999999999999", "2"}}) {
    CHECK_MESSAGE(is_older(older, newer), older);
    CHECK_MESSAGE(!is_older(newer, older), newer);
  }
  CHECK_FALSE(is_older("12.4", "12.04"));
  CHECK_FALSE(is_older("", ""));
}
