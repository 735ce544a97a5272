// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/no_threads.hpp"
#include "wrapper/setup/progress.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::setup;

TEST_CASE("the bar has amounts, a rate and the current work, and fits the terminal") {
  using std::chrono::milliseconds;
  CHECK(progress_bar({65'000'000, 130'000'000, "fetching GCC 13"}, milliseconds(5000), 100) ==
        "[##########..........] 65 MB of 130 MB, 13 MB/s: fetching GCC 13");
  CHECK(progress_bar({130'000'000, 130'000'000, "unpacking"}, milliseconds(5000), 100) ==
        "[####################] 130 MB of 130 MB: unpacking");
  CHECK(progress_bar({0, 0, "binding"}, milliseconds(0), 100) == "hostpin setup: binding");
  CHECK(progress_bar({65'000'000, 130'000'000, "fetching GCC 13"}, milliseconds(5000), 40).size() <= 40);
  CHECK(
      progress_bar({200'000'000, 130'000'000, "x"}, milliseconds(5000), 100).find("####################]") !=
      std::string::npos);
}

TEST_CASE("work goes on without progress where no thread can be made") {
  const test::NoThreads none;
  SetupProgress progress(100, Environment());
  progress.complete(100);
}
