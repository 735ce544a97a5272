// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gate/gate.hpp"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

const char* const answer = R"({
  "header": "/cuda/include/crt/host_config.h", "release": "12.4", "target": "x86_64",
  "derived": {"gcc": {"min": null, "max": 13}, "clang": {"min": 3, "max": 17}},
  "documented": {"gcc": {"min": 6, "max": 13}, "clang": {"min": 7, "max": 17}},
  "refusals": [
    {"family": "gcc", "major": 12, "minors": [1, 2], "where": "crt/host_config.h:99", "text": "not these"},
    {"family": "gcc", "major": 14, "minors": [], "where": "crt/host_config.h:143", "text": "too new"},
    {"family": "clang", "major": 18, "minors": [], "where": "crt/host_config.h:157", "text": "too new"}],
  "rests_on": []
})";

class FakeProbe final : public HeaderProbe {
public:
  std::vector<Result<std::string>> ask(std::span<const ProbeCall> calls) const override {
    ++rounds;
    std::vector<Result<std::string>> answers;
    for (const ProbeCall& call : calls)
      if (call.back().starts_with("/broken"))
        answers.emplace_back(failure("it includes itself"));
      else
        answers.emplace_back(answer);
    return answers;
  }

  mutable int rounds = 0;
};

Toolkit toolkit(const std::string& header) {
  Toolkit result;
  result.root = "/somewhere";
  result.version = {12, 4, 131};
  result.host_config = header;
  return result;
}

} // namespace

TEST_CASE("an answer of the probe becomes a gate") {
  const auto gate = read_gate(answer);
  REQUIRE(gate);
  CHECK(gate->gcc == Bounds{std::nullopt, 13});
  CHECK(gate->clang == Bounds{3, 17});
  REQUIRE(gate->refusals.size() == 3);
  CHECK(gate->refusals[1] == Gate::Refusal{Family::gcc, 14, {}, "crt/host_config.h:143", "too new"});
}

TEST_CASE("a refusal applies to its minors only") {
  const auto gate = read_gate(answer);
  REQUIRE(gate);
  CHECK(gate->refusal(Family::gcc, {12, 1, 0}) != nullptr);
  CHECK(gate->refusal(Family::gcc, {12, 2, 5}) != nullptr);
  CHECK(gate->refusal(Family::gcc, {12, 3, 0}) == nullptr);
  CHECK(gate->refusal(Family::gcc, {14, 7, 0}) != nullptr);
  CHECK(gate->refusal(Family::clang, {14, 0, 0}) == nullptr);
  CHECK(gate->refusal(Family::clang, {18, 1, 8}) != nullptr);
}

TEST_CASE("what is no answer is an error") {
  const std::string whole = answer;
  for (const std::string& text : {std::string(), std::string("{}"), std::string("[1]"), whole.substr(0, 200),
                                  std::string(R"({"derived": {"gcc": {"min": "6", "max": 1}}})")}) {
    CAPTURE(text);
    const auto gate = read_gate(text);
    REQUIRE_FALSE(gate);
    CHECK_FALSE(gate.error().hint.empty());
  }
}

TEST_CASE("a number that no compiler has is no answer") {
  for (const char* const field : {R"("max": 13)", R"("major": 14)", R"([1, 2])"})
    for (const char* const number : {"1e20", "13.5", "-1", "2147483648"}) {
      std::string text = answer, other = field;
      const std::size_t at = other.find_first_of("0123456789");
      other.replace(at, other.find_first_not_of("0123456789", at) - at, number);
      text.replace(text.find(field), std::string(field).size(), other);
      CAPTURE(text);
      CHECK_FALSE(read_gate(text));
    }
}

TEST_CASE("all toolkits are evaluated in one batch, and each has its own error") {
  const FakeProbe probe;
  const std::vector<Toolkit> toolkits = {toolkit("/a/host_config.h"), toolkit(""),
                                         toolkit("/broken/host_config.h"), toolkit("/b/host_config.h")};
  const auto found = gates(toolkits, probe);
  CHECK(probe.rounds == 1);
  REQUIRE(found.size() == 4);
  CHECK(found[0]);
  REQUIRE_FALSE(found[1]);
  CHECK(found[1].error().message == "the toolkit at /somewhere has no crt/host_config.h");
  REQUIRE_FALSE(found[2]);
  CHECK(found[2].error().message == "it includes itself");
  CHECK(found[3]);
}

namespace {

using Minors = std::vector<int>;

std::string gcc(Bounds bounds, const std::vector<std::pair<int, Minors>>& refused) {
  Gate gate{bounds, {}, {{Family::clang, 7, {}, "of the other family", ""}}};
  for (const auto& [major, minors] : refused)
    gate.refusals.push_back({Family::gcc, major, minors, "x:1", ""});
  return span(gate, Family::gcc);
}

constexpr auto open = std::nullopt;

} // namespace

TEST_CASE("bounds are printed concisely") {
  CHECK(span(Bounds{6, 13}) == "6-13");
  CHECK(span(Bounds{open, 13}) == "up to 13");
  CHECK(span(Bounds{6, open}) == "from 6");
  CHECK(span(Bounds{}) == "any");
  CHECK(span(Bounds{open, 0}) == "none");
}

TEST_CASE("minors at an end are the bound, and all other holes are named") {
  CHECK(gcc({open, 13}, {{14, {}}, {99, {}}}) == "up to 13");
  CHECK(gcc({3, 17}, {{2, {}}, {3, {0, 1, 2}}, {18, {}}}) == "3.3-17");
  CHECK(gcc({open, 13}, {{13, {4, 5, 6, 7, 8, 9}}, {14, {}}}) == "up to 13.3");
  CHECK(gcc({open, 13}, {{13, {4}}, {14, {}}}) == "up to 13 but not 13.4");
  CHECK(gcc({open, 13}, {{13, {0, 1}}, {14, {}}}) == "up to 13 but not 13.0-1");
  CHECK(gcc({5, 13}, {{5, {9}}, {14, {}}}) == "5-13 but not 5.9");
  CHECK(gcc({}, {{12, {}}, {13, {1, 2, 4}}}) == "any but not 12, 13.1-2, 13.4");
}

TEST_CASE("a hole is between the bounds and belongs to one family") {
  const Gate gate{{open, 13},
                  {5, open},
                  {{Family::gcc, 12, {}, "", ""},
                   {Family::gcc, 14, {}, "", ""},
                   {Family::clang, 4, {}, "", ""},
                   {Family::clang, 7, {}, "", ""}}};
  REQUIRE(holes(gate, Family::gcc).size() == 1);
  CHECK(holes(gate, Family::gcc)[0].major == 12);
  REQUIRE(holes(gate, Family::clang).size() == 1);
  CHECK(holes(gate, Family::clang)[0].major == 7);
}
