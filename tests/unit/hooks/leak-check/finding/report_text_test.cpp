// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/finding/report.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;

namespace {

Finding finding(Rule rule, Severity severity, const std::string& path, const std::string& reference) {
  return {rule, severity, {path, {}, ".dynamic", std::nullopt}, reference, {}, {}, {}};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("findings with one cause are grouped, the most severe first") {
  Findings findings;
  findings.files = 3;
  findings.found = {finding(Rule::dangling_runpath, Severity::warning, "b", "/x"),
                    finding(Rule::forbidden_runpath, Severity::error, "a", "/opt"),
                    finding(Rule::forbidden_runpath, Severity::error, "c", "/opt")};
  findings.sort();
  const std::string text = report_text(findings, false);
  CHECK(text.starts_with("error: forbidden-runpath: /opt\n"));
  CHECK(text.find("error:", 1) == std::string::npos);
  CHECK(has(text, "    a, .dynamic\n    c, .dynamic\n"));
  CHECK(text.find("warning: dangling-runpath") > text.find("c, .dynamic"));
  CHECK(text.ends_with("3 files: 2 errors, 1 warning, 0 notes\n"));
}

TEST_CASE("explanations and fixes are wrapped, lines that tools search are not") {
  Findings findings;
  const std::string path = "lib/a/path/that/is/longer/than/the/terminal";
  findings.found = {finding(Rule::forbidden_runpath, Severity::error, path, "/opt/some/long/name of it")};
  findings.found.front().fix = "Link it again with another run path.";
  const std::string text = report_text(findings, false, Terminal(false, 30));
  CHECK(text.starts_with("error: forbidden-runpath: /opt/some/long/name of it\n"));
  CHECK(has(text, "    " + path + ", .dynamic\n"));
  CHECK(has(text, "  fix: Link it again with\n    another run path.\n"));
}

TEST_CASE("references are listed below their rule, and what they have in common is printed once") {
  const auto with = [](Finding one, const std::string& explanation, const std::string& fix) {
    one.explanation = explanation;
    one.fix = fix;
    return one;
  };
  const auto path = [](const std::string& file, const std::string& reference) {
    return finding(Rule::forbidden_reference, Severity::error, file, reference);
  };
  Findings findings;
  const Finding first = with(path("b", "/a"), "Why not.", "Do.");
  findings.found = {with(path("c", "/b"), "Why.", "Do."), with(path("a", "/b"), "Why.", "Do."), first};
  findings.sort();
  const std::string explanation(text_of(Rule::forbidden_reference).explanation);
  CHECK(report_text(findings, false) ==
        "error: forbidden-reference: 2 references\n  " + explanation +
            "\n  /a\n    b, .dynamic\n      Why not.\n"
            "  /b\n    a, .dynamic\n    c, .dynamic\n      Why.\n  fix: Do.\n\n"
            "0 files: 3 errors, 0 warnings, 0 notes\n");
  findings.found.push_back(with(first, "Why not.", "Do otherwise."));
  const std::string text = report_text(findings, false);
  CHECK(has(text, "      fix: Do otherwise.\n"));
  CHECK(has(text, "      fix: Do.\n"));
  CHECK_FALSE(has(text, "\n  fix:"));
}

TEST_CASE("a location is printed with its member, section and offset, and what would be loaded") {
  Finding one{Rule::wrong_libstdcxx,
              Severity::error,
              {"l.a", {"y.o"}, ".text", 255, "out"},
              "libstdc++.so.6",
              "/x/libstdc++.so.6",
              "Why.",
              {}};
  Findings findings;
  findings.found = {one};
  CHECK(has(report_text(findings, false), "error: wrong-libstdcxx: libstdc++.so.6\n"));
  CHECK(has(report_text(findings, false),
            "    out/l.a(y.o), .text at 0xff\n      would be loaded: /x/libstdc++.so.6\n      Why.\n"));
  one.reference.clear();
  findings.found = {one};
  CHECK(has(report_text(findings, false), "error: wrong-libstdcxx: (empty)\n"));
}

TEST_CASE("no part of a file reaches a terminal as a control character") {
  const std::string csi = "\x1b[2J\x9b";
  Finding one = finding(Rule::wrong_libstdcxx, Severity::error, csi, csi);
  one.where.member = {csi};
  one.where.section = one.resolved = one.explanation = one.fix = csi;
  Finding other = one;
  other.fix = csi + csi;
  Findings findings;
  findings.found = {one};
  findings.unseen.push_back({{csi, {csi}, csi, std::nullopt}, csi});
  CHECK(report_text(findings, true).find_first_of(csi.substr(0, 1) + csi.back()) == std::string::npos);
  findings.found.push_back(other);
  CHECK(report_text(findings, true).find_first_of(csi.substr(0, 1) + csi.back()) == std::string::npos);
}

TEST_CASE("notes are counted, and shown when asked for") {
  Findings findings;
  findings.found = {finding(Rule::dangling_runpath, Severity::note, "b", "/x")};
  CHECK_FALSE(has(report_text(findings, false), "dangling-runpath"));
  CHECK(has(report_text(findings, false), "1 note (--notes shows them)"));
  CHECK(has(report_text(findings, true), "note: dangling-runpath: /x"));
}

TEST_CASE("a list of many locations of one cause is truncated, and the rest is counted") {
  Findings same, each;
  for (int i = 0; i < 25; ++i) {
    const std::string file(1, static_cast<char>('a' + i));
    same.found.push_back(finding(Rule::forbidden_runpath, Severity::error, file, "/opt"));
    each.found.push_back(finding(Rule::forbidden_runpath, Severity::error, file, "/opt" + std::to_string(i)));
  }
  CHECK(has(report_text(same, false), "and 15 more"));
  CHECK(has(report_text(same, false), "    j, .dynamic\n    and 15 more"));
  CHECK(has(report_text(each, false), "/opt19\n"));
  CHECK(has(report_text(each, false), "and 5 more"));
}

TEST_CASE("what could not be scanned is named") {
  Findings findings;
  findings.unseen.push_back({{"secret", {}, {}, std::nullopt}, "Permission denied"});
  findings.unseen.push_back({{"l.a", {"y.o"}, ".debug_info", std::nullopt}, "too large"});
  CHECK(has(report_text(findings, false),
            "not scanned:\n    secret: Permission denied\n    l.a(y.o), .debug_info: too large\n"));
  CHECK(report_text(findings, false).ends_with("0 notes, 2 not scanned\n"));
}

TEST_CASE("a name cannot control the terminal") {
  Findings findings;
  findings.found = {finding(Rule::forbidden_runpath, Severity::error, "a\n\x1b[2J", "/opt/\x1b[31m")};
  const std::string text = report_text(findings, false);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(has(text, "a\\n\\x1b[2J"));
}

TEST_CASE("every rule is explained") {
  const std::string text = rules_text();
  for (const RuleText& rule : rules())
    CHECK(has(text, std::string(rule.name) + " ("));
}
