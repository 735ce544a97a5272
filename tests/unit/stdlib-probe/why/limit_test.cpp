// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/limit.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::probe;
using Words = std::vector<std::string>;

namespace {

const std::vector<SymbolRelease> releases{
    {"3.4", {"GLIBCXX_3.4", "CXXABI_1.3"}, ""}, {"11.1", {"GLIBCXX_3.4.29", "CXXABI_1.3.13"}, ""},
    {"12.1", {"GLIBCXX_3.4.30"}, ""},           {"13.1", {"GLIBCXX_3.4.31", "CXXABI_1.3.14"}, ""},
    {"13.2", {"GLIBCXX_3.4.32"}, ""},           {"14.1", {"GLIBCXX_3.4.33", "CXXABI_1.3.15"}, ""}};

Standing of(const Limit& limit, const char* version) {
  return standing(limit, "symbol", version);
}

} // namespace

TEST_CASE("versions are compared as numbers, up to and with the limit") {
  const auto limit = limit_of(Words{"GLIBCXX_3.4.30", "CXXABI_1.3.9"}, releases);
  REQUIRE(limit);
  CHECK(of(*limit, "GLIBCXX_3.4") == Standing::within);
  CHECK(of(*limit, "GLIBCXX_3.4.9") == Standing::within);
  CHECK(of(*limit, "GLIBCXX_3.4.30") == Standing::within);
  CHECK(of(*limit, "GLIBCXX_3.4.31") == Standing::above);
  CHECK(of(*limit, "CXXABI_1.3.13") == Standing::above);
  CHECK(of(*limit, "CXXABI_FLOAT128") == Standing::not_comparable);
}

TEST_CASE("one kind of version named means the other of the same release") {
  const auto abi_of = [](const char* name) {
    return to_string(limit_of(Words{name}, releases).value().highest.find("CXXABI_")->second);
  };
  CHECK(abi_of("GLIBCXX_3.4") == "1.3");
  CHECK(abi_of("GLIBCXX_3.4.30") == "1.3.13");
  CHECK(abi_of("GLIBCXX_3.4.32") == "1.3.14");
  CHECK(abi_of("GLIBCXX_3.4.99") == "1.3.15");
  const Limit by_abi = limit_of(Words{"CXXABI_1.3.13"}, releases).value();
  CHECK(to_string(by_abi.highest.find("GLIBCXX_")->second) == "3.4.29");
}

TEST_CASE("other words are no limit") {
  for (const Words& words : std::vector<Words>{{"3.4.30"},
                                               {"GLIBC_2.38"},
                                               {"GLIBCXX_"},
                                               {"GLIBCXX_3.4.x"},
                                               {"GLIBCXX_3.4.30", "GLIBCXX_3.4.31"}}) {
    CAPTURE(words.front());
    CHECK(!limit_of(words, releases));
  }
}

TEST_CASE("with a library as the limit, what it defines counts") {
  Limit limit;
  limit.library = LibrarySymbols{{}, {"symbol@GLIBCXX_3.4.30"}};
  CHECK(standing(limit, "symbol", "GLIBCXX_3.4.30") == Standing::within);
  CHECK(standing(limit, "symbol", "GLIBCXX_3.4.31") == Standing::above);
  CHECK(standing(limit, "other", "GLIBCXX_3.4.30") == Standing::above);
  CHECK(standing(limit, "other", "CXXABI_FLOAT128") == Standing::above);
}

TEST_CASE("newest versions come first, and without a limit the first ones are not listed") {
  Words names{"CXXABI_1.3.13", "", "GLIBCXX_3.4.9", "GLIBCXX_3.4.30", "CXXABI_1.3.2"};
  std::sort(names.begin(), names.end(), newer);
  CHECK(names == Words{"GLIBCXX_3.4.30", "GLIBCXX_3.4.9", "CXXABI_1.3.13", "CXXABI_1.3.2", ""});
  CHECK(of(no_limit(), "GLIBCXX_3.4") == Standing::within);
  CHECK(of(no_limit(), "GLIBCXX_3.4.1") == Standing::above);
  CHECK(of(no_limit(), "CXXABI_1.3.1") == Standing::above);
}
