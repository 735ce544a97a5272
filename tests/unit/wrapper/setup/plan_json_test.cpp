// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/wrapper/setup/plans.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::setup;

namespace {

std::string with(const std::string& from, const std::string& to) {
  std::string text = plan_json(sample_plan());
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string refusal(const std::string& text) {
  const auto read = read_plan_json(text, "setup.json");
  REQUIRE_FALSE(read);
  CHECK(read.error().hint.find("--dry-run --json") != std::string::npos);
  return read.error().message;
}

} // namespace

TEST_CASE("a plan that is read again is the same plan") {
  const std::string text = plan_json(sample_plan());
  const auto read = read_plan_json(text, "setup.json");
  REQUIRE(read);
  CHECK(plan_json(*read) == text);
  CHECK(read->piece(Piece::Kind::compiler)->major == 13);
  CHECK(digest_of(read->pieces[0]) == digest_of(sample_plan().pieces[0]));
}

TEST_CASE("a carried plan cannot lead out of its directories") {
  CHECK(refusal(with("\"file\": \"g++.deb\"", "\"file\": \"../g++.deb\"")).find("not below") !=
        std::string::npos);
  CHECK(refusal(with("\"file\": \"g++.deb\"", "\"file\": \"/etc/passwd\"")).find("not below") !=
        std::string::npos);
  CHECK(refusal(with("\"place\": \"cuda\"", "\"place\": \"../cuda\"")).find("not below") !=
        std::string::npos);
}

TEST_CASE("a carried plan that is malformed is refused at its position") {
  CHECK(refusal("{}").find("setup.json:1:1") == 0);
  CHECK(refusal("").find("setup.json:1:1") == 0);
  CHECK(refusal(with("\"schema\": 1", "\"schema\": 2")).find("schema") != std::string::npos);
  CHECK(refusal(with("\"kind\": \"toolkit\"", "\"kind\": \"tool\"")).find("kind 'tool'") !=
        std::string::npos);
  CHECK(refusal(with("\"family\": \"gcc\"", "\"family\": \"icc\"")).find("icc") != std::string::npos);
  CHECK(refusal(with("\"headers\": \"piece\"", "\"headers\": \"x\"")).find("headers") != std::string::npos);
  CHECK(refusal(with("\"major\": 13", "\"major\": 0")).find("major") != std::string::npos);
  CHECK(refusal(with("\"version\": \"12.4.131\"", "\"version\": \"new\"")).find("version") !=
        std::string::npos);
}

TEST_CASE("pieces of other files have other digests") {
  Plan plan = sample_plan();
  const std::string before = digest_of(plan.pieces[1]);
  plan.pieces[1].headers = "suite";
  CHECK(digest_of(plan.pieces[1]) != before);
  plan = sample_plan();
  plan.pieces[1].packages[0].sha256 = std::string(64, 'b');
  CHECK(digest_of(plan.pieces[1]) != before);
  plan = sample_plan();
  plan.pieces[1].packages[0].address = "http://another.mirror/";
  CHECK(digest_of(plan.pieces[1]) == before);
}

TEST_CASE("the space for a piece is larger than what is downloaded") {
  for (const Piece& each : sample_plan().pieces)
    CHECK(space_for(each) >= 2 * bytes_of(each));
}
