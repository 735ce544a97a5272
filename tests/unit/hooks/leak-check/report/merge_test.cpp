// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/report/merge.hpp"
#include "tests/unit/hooks/leak-check/report/written.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace hostpin;
using test::json_of;

namespace {

using Json = nlohmann::ordered_json;

ShardStamp stamp(std::uint32_t index, std::uint32_t of, std::uint64_t entries) {
  ShardStamp stamp;
  stamp.number = {index, of};
  stamp.version = "1";
  stamp.entries = entries;
  return stamp;
}

std::string report(const Findings& findings, const ShardStamp& stamp) {
  return test::written([&](const Write& write) { report_shard(findings, stamp, write); });
}

/// Gives a text out in pieces of that size.
ReadReport reading(std::string text, std::size_t piece = 7) {
  return [text = std::move(text), piece, at = std::size_t{0}](char* space, std::size_t size) mutable {
    const std::size_t count = std::min({piece, size, text.size() - at});
    std::memcpy(space, text.data() + at, count);
    at += count;
    return Result<std::size_t>(count);
  };
}

Result<Findings> merged(const std::vector<std::string>& reports, std::uint64_t memory = 0) {
  Merge merge("1", memory);
  for (std::size_t i = 0; i < reports.size(); ++i)
    if (auto added = merge.add(reading(reports[i]), std::string(1, static_cast<char>('a' + i))); !added)
      return tl::unexpected(added.error());
  return merge.finish();
}

Findings some_findings() {
  Findings findings;
  findings.files = 1;
  findings.bytes = 5;
  const std::string any("\x00\x1b\xFFü\xED\xA0\x80\n\"\\", 12);
  findings.found = {
      {Rule::wrong_libstdcxx,
       Severity::error,
       {"bin/a", {}, ".dynamic", std::nullopt, "/out"},
       any,
       any,
       any,
       any},
      {Rule::forbidden_reference,
       Severity::warning,
       {any, {"", any, "y.o"}, any, ~0ULL, "/"},
       "/opt",
       {},
       {},
       {}},
      {Rule::forbidden_reference, Severity::note, {any, {"y"}, {}, 0, any}, {}, any, "Why.", "Do."},
      {Rule::dangling_runpath, Severity::note, {"x/y", {}, {}, std::nullopt, any}, any, {}, {}, {}}};
  findings.unseen = {{{any, {any}, any, std::nullopt, any}, any}, {{"p", {}, {}, std::nullopt}, "why"}};
  DeviceCodeHead head;
  head.architecture = 90;
  head.variant = Capability::Variant::architecture_specific;
  head.header = 64;
  findings.device_code.add(head);
  head.architecture = 3; // no real one
  head.code = DeviceCode::ltoir;
  findings.device_code.add(head, CodeUse::link);
  findings.sort();
  return findings;
}

std::string message_of(const Result<Findings>& merged) {
  REQUIRE_FALSE(merged);
  CHECK_FALSE(merged.error().hint.empty());
  return merged.error().message;
}

} // namespace

TEST_CASE("nothing is lost on the way through a report, whatever bytes names are of") {
  const Findings findings = some_findings();
  const auto again = merged({report(findings, stamp(1, 1, 1))});
  REQUIRE_MESSAGE(again, again.error().message);
  CHECK(std::vector<Finding>(again->found.begin(), again->found.end()) ==
        std::vector<Finding>(findings.found.begin(), findings.found.end()));
  CHECK(json_of(*again) == json_of(findings));
  CHECK(test::text_of(*again, true) == test::text_of(findings, true));
  CHECK(test::sarif_of(*again, "1") == test::sarif_of(findings, "1"));
}

TEST_CASE("the order of members and the layout of a report mean nothing") {
  const Findings findings = some_findings();
  const auto sorted = nlohmann::json::parse(report(findings, stamp(1, 1, 1)));
  const auto again = merged({sorted.dump()});
  REQUIRE_MESSAGE(again, again.error().message);
  CHECK(json_of(*again) == json_of(findings));
}

TEST_CASE("what shards had no room for is counted, and what a merge has none for as well") {
  Findings findings;
  findings.files = 1;
  for (int i = 0; i < 3000; ++i)
    findings.found.push_back({Rule::dangling_runpath,
                              Severity::note,
                              {std::string(3000, 'd') + std::to_string(i), {}, {}, std::nullopt},
                              {},
                              {},
                              {},
                              {}});
  findings.found.leave_out(Rule::dangling_runpath, Severity::note, 7);
  findings.unseen.leave_out(3);
  const std::string first = report(findings, stamp(1, 2, 2)), second = report(findings, stamp(2, 2, 2));
  const auto all = merged({first, second}, std::uint64_t{700'000});
  REQUIRE(all);
  CHECK(all->files == 2);
  CHECK(all->found.count(Severity::note) >= 3014);
  CHECK(all->found.left_out() > 14);
  CHECK(all->unseen.count() == 6);
  CHECK_FALSE(all->is_whole());
}

TEST_CASE("a merge keeps as much of a list as its shards did, or as it is told to") {
  constexpr std::size_t some = 4'500; // for which the usual list has no room
  Findings findings;
  findings.files = 1;
  findings.found.allow(std::size_t{1} << 30U);
  for (std::size_t i = 0; i < some; ++i)
    findings.found.push_back({Rule::dangling_runpath,
                              Severity::note,
                              {std::string(3000, 'd') + std::to_string(i), {}, {}, std::nullopt},
                              {},
                              {},
                              {},
                              {}});
  REQUIRE(findings.found.size() == some);
  ShardStamp large = stamp(1, 1, 1);
  CHECK_FALSE(merged({report(findings, large)})->is_whole());
  large.memory = std::uint64_t{1} << 30U;
  const std::string written = report(findings, large);
  const auto all = merged({written});
  REQUIRE(all);
  CHECK(all->is_whole());
  CHECK(all->found.size() == some);
  const auto less = merged({written}, std::uint64_t{1} << 20U);
  REQUIRE(less);
  CHECK_FALSE(less->is_whole());
  CHECK(less->found.count() == some);
  large.memory = ~0ULL; // which no number of a report can be
  CHECK(merged({report(findings, large)})->is_whole());
}

TEST_CASE("shards that are missing, there twice or of other scans are named") {
  Findings none;
  none.files = 1;
  const auto of = [&](std::uint32_t index, std::uint32_t all) {
    return report(none, stamp(index, all, all));
  };
  CHECK(merged({of(2, 3), of(1, 3), of(3, 3)}));
  CHECK(message_of(merged({of(2, 3), of(1, 3)})) == "of 3 shards 3 is missing");
  CHECK(message_of(merged({of(1, 14)})) ==
        "of 14 shards 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 3 more are missing");
  CHECK(message_of(merged({of(2, 3), of(1, 3), of(2, 3)})) == "shard 2/3 is there twice: a and c");
  CHECK(message_of(merged({of(1, 2), of(2, 3)})) ==
        "a and b are no shards of one scan: one is of 2 shards, the other of 3");
  CHECK(message_of(merged({json_of(none)})) == "a: it is the report of a whole scan, and not of a shard");
  for (const char* const list : {"findings", "unseen", "capabilities"}) {
    Json some = Json::parse(json_of(none));
    some[list] = Json::parse(json_of(some_findings()))[list];
    REQUIRE_FALSE(some[list].empty());
    CHECK(message_of(merged({some.dump()})) == "a: it is the report of a whole scan, and not of a shard");
  }
  CHECK(message_of(merged({report(none, stamp(1, 1, 2))})) ==
        "the shards tell of 1 files, and the tree has 2");
  ShardStamp other = stamp(2, 2, 2);
  other.version = "2";
  CHECK(message_of(merged({of(1, 2), report(none, other)})) == "b was written by hostpin 2, and this is 1");
}

TEST_CASE("another release's report is told as such, whatever else that one writes") {
  Json other = Json::parse(report(some_findings(), stamp(1, 1, 1)));
  other["shard"] = {{"version", "0.9"}, {"new", {1, 2}}};
  other["findings"] = {{{"rule", "rule-to-come"}, {"tree", nullptr}, {"raw", nullptr}}};
  CHECK(message_of(merged({other.dump()})) == "a was written by hostpin 0.9, and this is 1");
}

TEST_CASE("a report that is cut anywhere is refused, and where is told") {
  const std::string whole = report(some_findings(), stamp(1, 1, 1));
  for (std::size_t size = 0; size + 2 < whole.size(); size += 1 + size / 50) {
    CAPTURE(size);
    const std::string message = message_of(merged({whole.substr(0, size)}));
    CHECK(message.starts_with("a, byte " + std::to_string(size)));
  }
}

TEST_CASE("members of a report that are missing or not what they should be are told with their place") {
  const Json good = Json::parse(report(some_findings(), stamp(1, 1, 1)));
  const auto changed = [&](const char* pointer, const Json& value) {
    Json json = good;
    json[Json::json_pointer(pointer)] = value;
    return message_of(merged({json.dump()}));
  };
  const auto ends = [](const std::string& message, const char* end) {
    CAPTURE(message);
    CHECK(message.starts_with("a, byte "));
    CHECK(message.ends_with(end));
  };
  ends(changed("/schema", 2), "schema: it is not of schema 1, the one that is known here");
  ends(changed("/shard/index", 0), "shard: its index is none");
  ends(changed("/shard/of", 5000), "shard: its index is none");
  ends(changed("/shard/tree", "xyz"), "shard: its tree is no digest");
  ends(changed("/shard/used", 1), "shard: it says nothing of its options");
  ends(changed("/files", -1), "files: it is no number");
  ends(changed("/bytes", ~0ULL), "bytes: it is no number");
  ends(changed("/findings/1/rule", "x"), "findings[1]: its rule is none that is known");
  ends(changed("/findings/1/severity", nullptr), "findings[1]: its severity is none that is known");
  ends(changed("/findings/0/path", "elsewhere"), "findings[0]: its path is not below its tree");
  ends(changed("/findings/2/member/0", "z"),
       "findings[2]: its fingerprint is another one than that of what it says");
  ends(changed("/findings/3/raw", Json{{"path", "\u0100"}}),
       "findings[3]: its path is no bytes where it is raw");
  ends(changed("/findings/2/member", "y"), "findings[2]: its member is no list");
  ends(changed("/findings/0/section", 1), "findings[0]: its section is no text");
  ends(changed("/findings/0/offset", "1"), "findings[0]: its offset is no number");
  ends(changed("/findings/2/explanation", "Because."),
       "findings[2]: its explanation is not that of its rule");
  ends(changed("/findings/0", 1), "findings[0]: it does not have what a shard tells of it");
  ends(changed("/unseen/0", Json::object()), "unseen[0]: it does not have what a shard tells of it");
  ends(changed("/unseen/0/reason", 1), "unseen[0]: its reason is no text");
  ends(changed("/capabilities/0/code", "x"), "capabilities[0]: its code is none that is known");
  ends(changed("/left_out", Json::parse(R"([{"rule": "x"}])")),
       "left_out[0]: it counts nothing that is known");
  for (const char* const key : {"findings", "unseen", "capabilities", "left_out"})
    for (const Json& value : {Json(), Json(0), Json(""), Json::object()})
      ends(changed((std::string("/") + key).c_str(), value), (std::string(key) + ": it is no list").c_str());
  for (const char* const key : {"schema", "shard", "files", "bytes", "unseen", "capabilities", "left_out"}) {
    Json json = good;
    json.erase(key);
    CHECK_FALSE(message_of(merged({json.dump()})).empty());
  }
  CHECK(message_of(merged({"[]"})) == "a, byte 1: it is no JSON object");
  CHECK(message_of(merged({"1"})).ends_with("it is no JSON object"));
  std::string twice = good.dump();
  twice.insert(1, "\"files\": 1, ");
  ends(message_of(merged({twice})), "files: it is there twice");
}

TEST_CASE("what is nested too deep, has too many members or goes on and on is no report") {
  std::string deep;
  for (int i = 0; i < 100'000; ++i)
    deep += "{\"a\":";
  CHECK(message_of(merged({deep})).ends_with("it is nested deeper than any report"));
  std::string wide = "{\"a\": {";
  for (int i = 0; i < 100; ++i)
    wide += '"' + std::to_string(i) + "\": 1, ";
  CHECK(message_of(merged({wide})).ends_with("it has more members than any report"));
  // small values take ten times their text
  for (const char* const value : {"1,", "[],", "{\"\":1},"}) {
    std::string crowd = "{\"x\": [[";
    for (int i = 0; i < 300'000; ++i)
      crowd += value;
    CHECK(message_of(merged({crowd}))
              .ends_with("x[0]: one piece of it has more values than any that is written"));
  }
  ShardStamp many = stamp(1, 1, 0);
  for (unsigned line = 1; line <= 50'000; ++line)
    many.used.push_back({line, 1});
  CHECK(merged({report({}, many)}));
  // one piece without an end
  std::uint64_t given = 0;
  Merge merge("1");
  const auto endless = merge.add(
      [&](char* space, std::size_t size) {
        std::memset(space, 'x', size);
        if (given == 0)
          std::memcpy(space, "{\"x\":\"", 6);
        given += size;
        return Result<std::size_t>(size);
      },
      "a");
  REQUIRE_FALSE(endless);
  CHECK(endless.error().message.find("longer than any that is written") != std::string::npos);
  CHECK(given < std::uint64_t{20} << 20U);
}
