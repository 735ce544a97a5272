// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/scratch.hpp"
#include "wrapper/report/page.hpp"
#include "wrapper/report/sections.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace hostpin;
using namespace hostpin::report;

namespace {

constexpr const char* hostile = "</script><script>alert(1)</script><!-- \"'&\xff\xe2\x80\xa8";

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t sum = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++sum;
  return sum;
}

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Content in which every text is the same.
ReportContent content_of(const std::string& text) {
  ReportContent content;
  content.version = text;
  content.toolkits = {{text, text, text, text, text, {text}}};
  content.rejected = {{text, text, text}};
  content.compilers = {{text, text, text, true, {{text, text, text, true}}}};
  const ReportBinding::Part part{text, text, text};
  content.decision.binding = ReportBinding{part, part, part, part, part, {text}, part};
  content.lto = ReportLto{text, {{text, text, text, text, text, text, text, text, true}}};
  content.leaks = ReportLeaks{{text}, false, 1, 1, {}, {{text, text}}};
  content.leaks->findings = {{text, text, text, text, text, text, text, text, text, text, 1}};
  content.libraries =
      ReportLibraries{true, {{text, text, false}}, {{text, {{text}}, 0, {text}}}, {text}, 0, 0, 0};
  return content;
}

ReportLeaks leaks_with(std::size_t findings) {
  ReportLeaks leaks;
  leaks.rules["missing-library"] = "A NEEDED library is not on the loader's search path.";
  for (std::size_t i = 0; i < findings; ++i)
    leaks.findings.push_back({"missing-library",
                              i % 2 == 0 ? "note" : "error",
                              fmt::format("lib/{}", i),
                              "",
                              "",
                              "libx.so.1",
                              "",
                              "Own words.",
                              "Fix.",
                              "f",
                              {}});
  return leaks;
}

namespace fs = std::filesystem;

struct Fixture {
  ScratchDirectory scratch = *ScratchDirectory::make("/tmp");
  std::string file = scratch.path() + "/page.html";
  std::string page = report_page({});

  static std::string content(const std::string& path) {
    std::ostringstream all;
    all << std::ifstream(path).rdbuf();
    return all.str();
  }
  static void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
};

} // namespace

TEST_CASE("a template is filled once, and unknown names stay") {
  CHECK(filled("a{{x}}b{{y}}c", {{"x", "{{y}}"}, {"y", "2"}}) == "a{{y}}b2c");
  CHECK(filled("{{z}}", {}) == "{{z}}");
  CHECK(filled("open {{x", {{"x", "1"}}) == "open {{x");
}

TEST_CASE("no text of a report becomes markup, wherever it is") {
  const std::string plain = report_page(content_of("text")), page = report_page(content_of(hostile));
  for (const char* const tag : {"<script", "</script", "<!--", "<td", "<li", "<svg"})
    CHECK_MESSAGE(count(page, tag) == count(plain, tag), tag);
  CHECK_FALSE(holds(page, "\xff"));
  CHECK_FALSE(holds(page, "\xe2\x80\xa8"));
}

TEST_CASE("the policy of the page admits its own script and style, and nothing else") {
  const std::string page = report_page({});
  CHECK(holds(page, fmt::format("script-src 'sha256-{}'", page_js_hash)));
  CHECK(holds(page, fmt::format("style-src 'sha256-{}'", page_css_hash)));
  CHECK(holds(page, fmt::format("<script>{}</script>", page_js)));
  CHECK(holds(page, fmt::format("<style>{}</style>", page_css)));
  CHECK(holds(page, "default-src 'none'"));
  CHECK_FALSE(holds(page, "{{"));
  CHECK_FALSE(holds(page, " style=\""));
  CHECK_FALSE(holds(page, " onclick"));
}

TEST_CASE("the same content gives the same bytes") {
  CHECK(report_page(content_of("a")) == report_page(content_of("a")));
}

TEST_CASE("without a decision the page says why, and what next") {
  ReportContent content;
  content.decision.error = "no host compiler fits\n  g++-16  newer than 13";
  content.decision.hint = "install g++-13";
  const std::string section = decision_section(content);
  CHECK(holds(section, "<pre>no host compiler fits\n  g++-16  newer than 13</pre>"));
  CHECK(holds(section, "Next: install g++-13"));
  CHECK_FALSE(holds(section, "<svg"));
}

TEST_CASE("each verdict has its word, its reason and the number of its source") {
  ReportContent content;
  content.toolkits = {{"CUDA 12.4", "/t", "", "", "", {}}, {"CUDA 13.0", "/u", "", "", "", {}}};
  content.compilers = {
      {"GCC 16",
       "g++-16",
       "",
       false,
       {{"too-new", "newer than 13", "header:1", false}, {"fits", "within 6-16", "row", true}}}};
  const std::string section = matrix_section(content);
  CHECK(holds(section, "data-verdict=\"too-new\" data-driver=\"g++-16\" data-toolkit=\"/t\""));
  CHECK(holds(section, "too new</span>"));
  CHECK(holds(section, "newer than 13 "));
  CHECK(holds(section, "[2]</span>"));
  CHECK(holds(section, "<li>header:1</li>\n<li>row</li>"));
  CHECK(count(section, "scope=\"col\"") == 3);
  CHECK(count(section, "scope=\"row\"") == 1);
}

TEST_CASE("the most severe findings come first, and the text of their rule is printed once") {
  const ReportLeaks leaks = leaks_with(4);
  const std::string section = leaks_section(leaks);
  CHECK(section.find("lib/1<") < section.find("lib/3<"));
  CHECK(section.find("lib/3<") < section.find("lib/0<"));
  CHECK(holds(section, "<dd>Own words.</dd>"));
  const std::string data = leaks_data(leaks);
  CHECK(count(data, "A NEEDED library is not on the loader") == 1);
  CHECK(count(data, "Own words.") == 4);
}

TEST_CASE("however many findings there are, only some are in the page, and all in its data") {
  const ReportLeaks leaks = leaks_with(1000);
  CHECK(count(leaks_section(leaks), "<li class=\"finding\">") == static_findings);
  CHECK(count(leaks_data(leaks), "\"lib/") == 1000);
  CHECK(holds(leaks_section(leaks), "of 1,000; hostpin leak-check prints all"));
}

TEST_CASE("what was not scanned is listed even without findings") {
  ReportLeaks leaks;
  leaks.unseen = {{"packed.xz", "takes more memory"}};
  const std::string section = leaks_section(leaks);
  CHECK(holds(section, "1 location could not be scanned"));
  CHECK(holds(section, "packed.xz"));
}

TEST_CASE_FIXTURE(Fixture, "a report is written, and replaces an earlier one") {
  REQUIRE(write_report(file, page));
  CHECK(content(file) == page);
  put(file, page + "older");
  REQUIRE(write_report(file, page));
  CHECK(content(file) == page);
}

TEST_CASE_FIXTURE(Fixture, "an empty file, such as mktemp makes, is no loss") {
  put(file, "");
  CHECK(write_report(file, page));
}

TEST_CASE_FIXTURE(Fixture, "what is not ours is left alone") {
  for (const std::string& text : {std::string("precious"), page.substr(0, 20), page.substr(1), "\n" + page}) {
    put(file, text);
    const auto written = write_report(file, page);
    REQUIRE_FALSE(written);
    CHECK(written.error().message.find("is not a report of hostpin") != std::string::npos);
    CHECK(content(file) == text);
  }
  CHECK_FALSE(write_report(scratch.path(), page));
  CHECK_FALSE(write_report("/dev/null", page));
  const std::string nowhere = scratch.path() + "/nowhere";
  for (const std::string& path :
       {nowhere + "/page.html", scratch.path(), std::string("/dev/null"), std::string()}) {
    CAPTURE(path);
    const auto unfit = unfit_for_report(path);
    REQUIRE(unfit);
    CHECK_FALSE(unfit->hint.empty());
    CHECK_FALSE(write_report(path, page));
  }
  CHECK(unfit_for_report(nowhere + "/page.html")->message.ends_with("there is no directory " + nowhere));
  CHECK_FALSE(unfit_for_report(nowhere));
}

TEST_CASE_FIXTURE(Fixture, "a symlink stays, and what it leads to is written") {
  const std::string link = scratch.path() + "/link";
  fs::create_symlink(file, link);
  CHECK_FALSE(write_report(link, page)); // the target does not exist yet
  put(file, page + "older");
  REQUIRE(write_report(link, page));
  CHECK(fs::is_symlink(link));
  CHECK(content(file) == page);
}
