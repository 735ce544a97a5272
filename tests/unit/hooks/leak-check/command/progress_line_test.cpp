// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/command/progress_line.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;

TEST_CASE("a line of progress is for terminals that can take it away again") {
  const auto environment = [](Environment::Variables variables) { return Environment(std::move(variables)); };
  CHECK(wants_progress(environment({{"TERM", "xterm"}}), true));
  CHECK(wants_progress(environment({{"TERM", "xterm"}, {"NO_COLOR", "1"}}), true));
  CHECK(!wants_progress(environment({{"TERM", "xterm"}}), false));
  CHECK(!wants_progress(environment({{"TERM", "dumb"}}), true));
  CHECK(!wants_progress(environment({}), true));
  CHECK(!wants_progress(environment({{"TERM", "xterm"}, {"CI", "true"}}), true));
}

TEST_CASE("progress tells files, bytes and where it is") {
  CHECK(progress_text({0, 0, ""}, 80) == "0 files, 0 bytes");
  CHECK(progress_text({12, 999, "lib/a.so"}, 80) == "12 files, 999 bytes: lib/a.so");
  CHECK(progress_text({12, 1000, "a"}, 80) == "12 files, 1.0 KB: a");
  CHECK(progress_text({12, 12'345'678, "a"}, 80) == "12 files, 12 MB: a");
  CHECK(progress_text({12, 1'990'000'000, "a"}, 80) == "12 files, 1.9 GB: a");
  CHECK(progress_text({12, 1'990'000'000'000'000'000, "a"}, 80) == "12 files, 1990000 TB: a");
}

TEST_CASE("progress stays within its columns and shows nothing that could drive a terminal") {
  const std::string path = "a/\x1b[31m\n\xff/and/quite/a/few/directories/libf.so";
  CHECK(progress_text({1, 1, path}, 99) == "1 file, 1 bytes: a/?[31m?"
                                           "?/and/quite/a/few/directories/libf.so");
  CHECK(progress_text({1, 1, path}, 30) == "1 file, 1 bytes: ...es/libf.so");
  for (std::size_t columns = 0; columns < 60; ++columns)
    CHECK(progress_text({1, 1, path}, columns).size() <= columns);
}
