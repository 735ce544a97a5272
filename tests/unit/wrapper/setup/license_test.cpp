// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/shipped_data.hpp"
#include "tests/unit/wrapper/setup/plans.hpp"
#include "wrapper/setup/license.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::setup;

namespace {

const License eula{"NVIDIA CUDA EULA", "CUDA 12.4.131", "https://example.org/eula"};

Questions answering(std::optional<std::string> answer, std::string* asked = nullptr) {
  return {true, [answer = std::move(answer), asked](const std::string& question) {
            if (asked != nullptr)
              *asked = question;
            return answer;
          }};
}

} // namespace

TEST_CASE("only what comes under a license is asked for, with the address of its text") {
  const auto licenses = licenses_of(sample_plan(), DiskFiles(), hostpin::test::shipped_data());
  REQUIRE(licenses);
  REQUIRE(licenses->size() == 1);
  CHECK(licenses->front().of == "CUDA 12.4.131");
  CHECK(licenses->front().address == "https://docs.nvidia.com/cuda/archive/12.4.0/eula/index.html");
  CHECK(licenses_of({}, DiskFiles(), hostpin::test::shipped_data())->empty());
}

TEST_CASE("a license is accepted by the option or by that word on a terminal, and by nothing else") {
  const auto by_option = accept({eula}, true, {}, "now");
  REQUIRE(by_option);
  CHECK(by_option->front().by == "--accept-eula");
  CHECK(by_option->front().when == "now");
  std::string question;
  const auto typed = accept({eula}, false, answering("accept", &question), "now");
  REQUIRE(typed);
  CHECK(typed->front().by == "typed on a terminal");
  CHECK(question.find("NVIDIA CUDA EULA (https://example.org/eula)") != std::string::npos);
  for (const char* const answer : {"", "y", "yes", "Accept", "accept "})
    CHECK_FALSE(accept({eula}, false, answering(answer), "now"));
  CHECK_FALSE(accept({eula}, false, answering(std::nullopt), "now"));
  const auto nobody = accept({eula}, false, {}, "now");
  REQUIRE_FALSE(nobody);
  CHECK(nobody.error().hint.find("--accept-eula") != std::string::npos);
  CHECK(accept({}, false, {}, "now")->empty());
}

TEST_CASE("the time of a consent is in UTC") {
  CHECK(utc_text(0) == "1970-01-01T00:00:00Z");
  CHECK(utc_text(1'764'120'600) == "2025-11-26T01:30:00Z");
}
