// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/compiler/shown.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

/// GCC 12 that got arguments in a response file: it writes another one, which stays with -save-temps alone.
class Driver final : public Processes {
public:
  std::vector<Outcome> run(std::span<const Command> commands) const override {
    std::vector<Outcome> outcomes;
    for (const Command& command : commands) {
      ++calls;
      Outcome& outcome = outcomes.emplace_back();
      outcome.end = Outcome::End::exited;
      const auto directory = std::find(command.argv.begin(), command.argv.end(), "-dumpdir");
      if (!responds) {
        outcome.errors = " /gcc/collect2 -o out -lc\n";
      } else if (directory == command.argv.end()) {
        outcome.errors = "COLLECT_GCC_OPTIONS='-L/x'\n /gcc/collect2 -o out \"@/tmp/ccAbCdEf\" -lc\n";
      } else {
        const std::string name = directory[1] + ".args.0";
        std::ofstream(name) << "-rpath\n/a\\ b\n";
        outcome.errors = "COLLECT_GCC_OPTIONS='-L/x' '-save-temps' '-dumpdir' '" + directory[1] +
                         "'\n /gcc/collect2 -o out \"@" + name + "\" -lc\n";
      }
    }
    return outcomes;
  }
  bool responds = true;
  mutable int calls = 0;
};

} // namespace

TEST_CASE("arguments in a response file that the driver would delete are shown") {
  const Driver driver;
  const Command question{{"g++", "-###"}, "", {}};
  const auto outcomes = run_shown({&question, 1}, driver);
  REQUIRE(outcomes.size() == 1);
  CHECK(outcomes.front().errors == "COLLECT_GCC_OPTIONS='-L/x' \n /gcc/collect2 -o out -rpath /a\\ b  -lc\n");
  CHECK(driver.calls == 2);
}

TEST_CASE("a driver without one is asked once") {
  Driver driver;
  driver.responds = false;
  const Command question{{"g++", "-###"}, "", {}};
  CHECK(run_shown({&question, 1}, driver).front().errors == " /gcc/collect2 -o out -lc\n");
  CHECK(driver.calls == 1);
}
