// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "toolchains/base/settled.hpp"
#include "toolchains/remembered/kept_outcome.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using hostpin::test::FakeFiles;

namespace {

constexpr std::int64_t later = 1'000'000'000;

Kept sample() {
  Kept kept;
  kept.outcome.end = Outcome::End::exited;
  kept.outcome.code = 1;
  kept.outcome.output = std::string("a\0b\n", 4);
  kept.outcome.errors = "#$ _HERE_=/cuda/bin\n";
  kept.ground = {"/absent", "/usr/bin/g++"};
  return kept;
}

} // namespace

TEST_CASE("what is stored is read back unchanged, each file once and in order") {
  FakeFiles files;
  files.program("/usr/bin/g++");
  Kept kept = sample();
  kept.ground = {"/usr/bin/g++", "/absent", "/usr/bin/g++"};
  const auto json = kept_json(kept, later, files);
  REQUIRE(json);
  CHECK(read_kept(*json) == sample());
}

TEST_CASE("bytes that JSON cannot represent are not stored") {
  Kept kept = sample();
  kept.outcome.errors = "caf\xe9";
  CHECK_FALSE(kept_json(kept, later, FakeFiles()));
}

TEST_CASE("an outcome that depends on a file written since the query is not stored") {
  const FakeFiles files = FakeFiles().file("/usr/bin/g++"); // as of 1970
  CHECK(kept_json(sample(), later, files));
  CHECK_FALSE(kept_json(sample(), 0, files));
}

TEST_CASE("other bytes are not an outcome") {
  const std::string whole = *kept_json(sample(), later, FakeFiles());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
  };
  REQUIRE(read_kept(whole));
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("{}"), whole.substr(0, whole.size() / 2),
        with("\"code\":1", "\"code\":256"), with("\"code\":1", "\"code\":-1"),
        with("\"code\":1", "\"code\":1.5"), with("\"code\":1", "\"code\":\"1\""),
        with("\"output\":\"a", "\"outputs\":\"a"), with("\"text\":\"\"", "\"text\":null"),
        with("\"path\":\"/absent\"", "\"path\":7"), with("\"path\":\"/absent\"", "\"place\":\"/absent\""),
        with("\"rests_on\":[", "\"rests_on\":[3,")}) {
    CAPTURE(text);
    CHECK_FALSE(read_kept(text));
  }
}
