// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/options/program.hpp"

#include <vector>

#include <doctest/doctest.h>

namespace {

using namespace hostpin;

struct Command : options::Subcommand {
  int number;
};

constexpr Command commands[] = {{{"check", "checks"}, 3}, {{"select", "selects"}, 5}};

Result<const Command*> found(const std::vector<const char*>& arguments) {
  return options::find_command<Command>("Wheels.", "wheel", commands, arguments, 80);
}

TEST_CASE("a subcommand is the first argument, and what follows it is its own") {
  const auto select = found({"select", "--no-such-option", "check"});
  REQUIRE(select);
  REQUIRE(*select != nullptr);
  CHECK((*select)->number == 5);
}

TEST_CASE("what is no subcommand is refused") {
  const auto none = found({});
  REQUIRE_FALSE(none);
  CHECK(none.error().message == "wheel needs a command");
  CHECK(none.error().hint == "hostpin wheel --help lists its arguments");
  const auto near = found({"chek"});
  REQUIRE_FALSE(near);
  CHECK(near.error().message == "wheel has no command 'chek'");
  CHECK(near.error().hint == "did you mean check? hostpin wheel --help lists its arguments");
  for (const std::vector<const char*>& help :
       {std::vector{"chek", "--help"}, {"--help", "chek"}, {"chek", "-h"}}) {
    const auto unknown = found(help);
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().message == "wheel has no command 'chek'");
  }
  const auto option = found({"--what", "check"});
  REQUIRE_FALSE(option);
  CHECK(option.error().message.find("--what") != std::string::npos);
}

} // namespace
