// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/command/report.hpp"

#include <algorithm>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace hostpin;
using namespace hostpin::lto;
using Json = nlohmann::json;

namespace {

Judgement judgement(const std::string& path, LtoVerdict verdict, bool refused,
                    std::vector<std::string> member = {}) {
  const bool wrong = verdict != LtoVerdict::ok;
  Bitstream stream{LtoFormat::gcc_lto, 11, 3, "GCC: (Debian) 11.3.0", true, 0};
  return {path,
          std::move(member),
          stream,
          verdict,
          refused,
          wrong ? "LTO 12.0" : "",
          wrong ? "reason" : "",
          wrong ? "cure" : ""};
}

LinkCheck host(std::vector<Judgement> judgements) {
  return {
      "/usr/bin/ld",
      Linker{
          "/usr/bin/ld", LinkerFamily::bfd, {2, 40, 0}, GccReader{12, 0, "GCC: (Debian) 12.2.0", false}, {}},
      std::move(judgements)};
}

LinkCheck device(std::vector<Judgement> judgements) {
  for (Judgement& one : judgements)
    if (one.stream)
      one.stream = Bitstream{LtoFormat::cuda_ltoir, 1, 61, "", true, 80};
  return {"/cuda/nvlink", Linker{"/cuda/nvlink", LinkerFamily::nvlink, {12, 4, 0}, {}, {}},
          std::move(judgements)};
}

Judgement unreadable(const std::string& path) {
  return {path, {}, std::nullopt, LtoVerdict::unreadable, false, "", "torn", "build it again"};
}

/// What is said of a weight.
std::string report(std::span<const LinkCheck> checks, Weight weight) {
  std::string text;
  write_report(checks, weight, {}, [&](std::string_view piece) { text += piece; });
  return text;
}

std::string report_json(std::span<const LinkCheck> checks) {
  std::string text;
  write_json(checks, [&](std::string_view piece) { text += piece; });
  return text;
}

} // namespace

TEST_CASE("one message lists all, what has one reason and one cure together") {
  Judgement other = judgement("c.o", LtoVerdict::mismatch, true);
  other.fix = "another cure";
  const std::vector<LinkCheck> checks{
      host({judgement("a.o", LtoVerdict::mismatch, true), judgement("ok.o", LtoVerdict::ok, false), other,
            judgement("lib.a", LtoVerdict::mismatch, true, {"inner.a", "b.o"}),
            judgement("lib.a", LtoVerdict::risky, false, {"d.o"}), unreadable("e.o")})};
  CHECK(report(checks, Weight::refused) ==
        "3 LTO inputs do not fit /usr/bin/ld (GNU ld 2.40), which calls GCC 12.2.0 (LTO 12.0):\n"
        "  a.o                  GCC 11.3.0 (LTO 11.3)\n"
        "  lib.a(inner.a)(b.o)  GCC 11.3.0 (LTO 11.3)\n"
        "    reason (expected: LTO 12.0)\n"
        "    hint: cure\n"
        "  c.o  GCC 11.3.0 (LTO 11.3)\n"
        "    reason (expected: LTO 12.0)\n"
        "    hint: another cure\n");
  CHECK(report(checks, Weight::warned) ==
        "1 LTO input may not fit /usr/bin/ld (GNU ld 2.40), which calls GCC 12.2.0 (LTO 12.0):\n"
        "  lib.a(d.o)  GCC 11.3.0 (LTO 11.3)\n"
        "    reason (expected: LTO 12.0)\n"
        "    hint: cure\n");
  CHECK(report(checks, Weight::unread).starts_with("1 input could not be read for /usr/bin/ld"));
  CHECK(fitting_report(checks).starts_with("1 LTO input fits /usr/bin/ld"));
}

TEST_CASE("a report is not wider than the terminal, but for the code on its first line") {
  const std::vector<LinkCheck> checks{
      host({judgement("/a/long/path/of/an/object/a.o", LtoVerdict::mismatch, true)})};
  std::string text;
  write_report(
      checks, Weight::refused, {}, [&](std::string_view piece) { text += piece; },
      "hostpin: error: ", Terminal(false, 40));
  CHECK(text == "hostpin: error: 1 LTO input does not fit [lto]\n"
                "  /usr/bin/ld (GNU ld 2.40), which calls\n"
                "  GCC 12.2.0 (LTO 12.0):\n"
                "  /a/long/path/of/an/object/a.o\n"
                "    GCC 11.3.0 (LTO 11.3)\n"
                "    reason (expected: LTO 12.0)\n"
                "    hint: cure\n");
}

TEST_CASE("warnings of many members and archives stay short, and refusals name each") {
  std::vector<Judgement> warned, refused;
  for (int file = 0; file < 40; ++file)
    for (int member = 0; member < 50; ++member) {
      const std::string path = std::to_string(file) + ".a", name = std::to_string(member) + ".o";
      warned.push_back(judgement(path, LtoVerdict::risky, false, {name}));
      refused.push_back(judgement(path, LtoVerdict::mismatch, true, {name}));
    }
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  const LinkCheck some = host(std::move(warned)), all = host(std::move(refused));
  const std::string warnings = report({&some, 1}, Weight::warned);
  CHECK(warnings.starts_with("2000 LTO inputs may not fit "));
  CHECK(warnings.find("\n  0.a(0.o) and 49 other members  GCC 11.3.0") != std::string::npos);
  CHECK(warnings.find("\n  and 30 more files, which --json lists\n") != std::string::npos);
  CHECK(lines(warnings) == 14);
  CHECK(lines(report({&all, 1}, Weight::refused)) == 2003);
}

TEST_CASE("the exit code is that of the worst") {
  const auto code = [](const LinkCheck& check) { return exit_code({&check, 1}); };
  CHECK(exit_code({}) == 0);
  CHECK(code(host({judgement("a.o", LtoVerdict::ok, false), judgement("b.o", LtoVerdict::risky, false)})) ==
        0);
  CHECK(code(host({judgement("a.o", LtoVerdict::risky, true)})) == 1);
  CHECK(code(host({unreadable("a.o")})) == 2);
  CHECK(code(host({unreadable("a.o"), judgement("b.o", LtoVerdict::silent_loss, true)})) == 1);
}

TEST_CASE("the JSON is that of the README") {
  const std::vector<LinkCheck> both{
      device({judgement("k.o", LtoVerdict::silent_loss, true)}),
      host({judgement("lib.a", LtoVerdict::mismatch, true, {"b.o"}), unreadable("\xff.o")})};
  const Json json = Json::parse(report_json(both));
  CHECK(json["schema"] == 1);
  CHECK(json["linker"] == Json{{"path", "/usr/bin/ld"},
                               {"family", "bfd"},
                               {"version", "2.40"},
                               {"reads", {{"gcc_lto", "12.0"}}}});
  CHECK(json["device_linker"]["family"] == "nvlink");
  REQUIRE(json["inputs"].size() == 3);
  CHECK(json["inputs"][0]["format"] == "cuda-ltoir");
  CHECK(json["inputs"][0]["version"] == "1.61");
  CHECK(json["inputs"][0]["producer"].is_null());
  CHECK(json["inputs"][1] == Json{{"path", "lib.a"},
                                  {"member", {"b.o"}},
                                  {"format", "gcc-lto"},
                                  {"version", "11.3"},
                                  {"producer", "GCC: (Debian) 11.3.0"},
                                  {"slim", true},
                                  {"verdict", "mismatch"},
                                  {"refused", true},
                                  {"expected", "LTO 12.0"},
                                  {"reason", "reason"},
                                  {"cure", "cure"},
                                  {"linker", "/usr/bin/ld"}});
  CHECK(json["inputs"][2]["format"] == "none");
  CHECK(json["inputs"][2]["verdict"] == "unreadable");

  const LinkCheck alone = device({});
  CHECK(Json::parse(report_json({&alone, 1}))["linker"]["family"] == "nvlink");
  const LinkCheck unasked{"/usr/bin/ld", std::nullopt, {}};
  CHECK(Json::parse(report_json({&unasked, 1}))["linker"]["family"].is_null());
  CHECK(Json::parse(report_json({}))["linker"].is_null());
}

TEST_CASE("an input that two linkers see is judged by the one that reads it") {
  Judgement carried = judgement("k.o", LtoVerdict::ok, false);
  carried.stream->format = LtoFormat::cuda_ltoir;
  std::vector<LinkCheck> checks{device({judgement("k.o", LtoVerdict::silent_loss, true), unreadable("x.o")}),
                                host({carried, judgement("a.o", LtoVerdict::ok, false), unreadable("x.o")})};
  CHECK(has_device_code(checks.front()));
  share_out(checks);
  CHECK(checks[0].judgements.size() == 2);
  REQUIRE(checks[1].judgements.size() == 1);
  CHECK(checks[1].judgements.front().path == "a.o");
}
