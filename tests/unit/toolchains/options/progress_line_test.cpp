// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/options/progress_line.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::options;

TEST_CASE("a line of progress is for terminals that can take it away again") {
  const auto environment = [](Environment::Variables variables) { return Environment(std::move(variables)); };
  CHECK(wants_progress(environment({{"TERM", "xterm"}}), true));
  CHECK(wants_progress(environment({{"TERM", "xterm"}, {"NO_COLOR", "1"}}), true));
  CHECK(!wants_progress(environment({{"TERM", "xterm"}}), false));
  CHECK(!wants_progress(environment({{"TERM", "dumb"}}), true));
  CHECK(!wants_progress(environment({}), true));
  CHECK(!wants_progress(environment({{"TERM", "xterm"}, {"CI", "true"}}), true));
}

TEST_CASE("amounts have three digits at most") {
  CHECK(amount_text(0) == "0 bytes");
  CHECK(amount_text(999) == "999 bytes");
  CHECK(amount_text(1000) == "1.0 KB");
  CHECK(amount_text(12'345'678) == "12 MB");
  CHECK(amount_text(1'990'000'000) == "1.9 GB");
  CHECK(amount_text(1'990'000'000'000'000'000) == "1990000 TB");
}

TEST_CASE("progress stays within its columns and shows nothing that could control a terminal") {
  const std::string path = "a/\x1b[31m\n\xff/and/quite/a/few/directories/libf.so";
  CHECK(progress_text("1 file", "", 99) == "1 file");
  CHECK(progress_text("1 file, 1 bytes", path, 99) == "1 file, 1 bytes: a/?[31m?"
                                                      "?/and/quite/a/few/directories/libf.so");
  CHECK(progress_text("1 file, 1 bytes", path, 30) == "1 file, 1 bytes: ...es/libf.so");
  for (std::size_t columns = 0; columns < 60; ++columns)
    CHECK(progress_text("1 file, 1 bytes", path, columns).size() <= columns);
}
