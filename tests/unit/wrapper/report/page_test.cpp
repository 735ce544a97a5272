// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/report/mark.hpp"
#include "wrapper/report/page.hpp"
#include "wrapper/report/page_files.hpp"
#include "wrapper/report/sections.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace hostpin;

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
  content.decision.binding = ReportBinding{part, part, part, part, part, {text}};
  content.lto = ReportLto{text, {{text, text, text, text, text, text, text, text, true}}};
  content.leaks = ReportLeaks{{text}, false, 1, 1, {}, {{text, text}}};
  content.leaks->findings = {{text, text, text, text, text, text, text, text, text, text, 1}};
  content.libraries =
      ReportLibraries{true, {{text, text, false}}, {{text, {{text}}, 0, {text}}}, {text}, 0, 0, 0};
  return content;
}

ReportLeaks leaks_with(std::size_t findings) {
  ReportLeaks leaks;
  for (std::size_t i = 0; i < findings; ++i)
    leaks.findings.push_back({"missing-library",
                              i % 2 == 0 ? "note" : "error",
                              fmt::format("lib/{}", i),
                              "",
                              "",
                              "libx.so.1",
                              "",
                              "A NEEDED library is not on the loader's search path, or that path is not "
                              "known. Own words.",
                              "Cure.",
                              "f",
                              {}});
  return leaks;
}

} // namespace

TEST_CASE("a template is filled once, and unknown names stay") {
  CHECK(filled("a{{x}}b{{y}}c", {{"x", "{{y}}"}, {"y", "2"}}) == "a{{y}}b2c");
  CHECK(filled("{{z}}", {}) == "{{z}}");
  CHECK(filled("open {{x", {{"x", "1"}}) == "open {{x");
}

TEST_CASE("no text of a report becomes markup, wherever it stands") {
  const std::string plain = report_page(content_of("text")), page = report_page(content_of(hostile));
  for (const char* const tag : {"<script", "</script", "<!--", "<td", "<li", "<svg"})
    CHECK_MESSAGE(count(page, tag) == count(plain, tag), tag);
  CHECK_FALSE(holds(page, "\xff"));
  CHECK_FALSE(holds(page, "\xe2\x80\xa8"));
}

TEST_CASE("the policy of the page lets in its own script and style, and nothing else") {
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

TEST_CASE("however many findings there are, only some stand in the page, and all in its data") {
  const ReportLeaks leaks = leaks_with(1000);
  CHECK(count(leaks_section(leaks), "<li class=\"finding\">") == static_findings);
  CHECK(count(leaks_data(leaks), "\"lib/") == 1000);
  CHECK(holds(leaks_section(leaks), "of 1,000; hostpin leak-check lists all"));
}

TEST_CASE("what was not looked at is told beside no findings at all") {
  ReportLeaks leaks;
  leaks.unseen = {{"packed.xz", "takes more memory"}};
  const std::string section = leaks_section(leaks);
  CHECK(holds(section, "1 place could not be judged"));
  CHECK(holds(section, "packed.xz"));
}

TEST_CASE("numbers are read in threes") {
  CHECK(counted(0) == "0");
  CHECK(counted(999) == "999");
  CHECK(counted(1000) == "1,000");
  CHECK(counted(1234567) == "1,234,567");
  CHECK(counted(1, "file") == "1 file");
}
