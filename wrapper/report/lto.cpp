// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/report/mark.hpp"
#include "wrapper/report/sections.hpp"
#include "wrapper/report/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hostpin {

namespace {

/// Inputs that stop a link come first; inputs without link-time code are only counted.
int rank(const ReportLto::Input& input) {
  return input.refused ? 0 : input.verdict == "ok" ? 2 : 1;
}

std::string row(const ReportLto::Input& input) {
  std::string what = html(input.reason);
  if (!input.cure.empty())
    what += fmt::format("<span class=\"cure\">{}</span>", html(input.cure));
  return fmt::format(
      "<tr><td data-verdict=\"{}\">{}</td><th scope=\"row\"><span class=\"path\">{}</span></th><td>{}</td>"
      "<td>{}</td><td>{}</td></tr>\n",
      html(input.verdict), marked(input.verdict), html(input.path),
      html(input.format + (input.version.empty() ? "" : " " + input.version)), html(input.producer), what);
}

} // namespace

std::string lto_section(const ReportLto& lto) {
  std::vector<const ReportLto::Input*> shown;
  for (const ReportLto::Input& input : lto.inputs)
    if (input.verdict != "none")
      shown.push_back(&input);
  std::stable_sort(shown.begin(), shown.end(),
                   [](const auto* a, const auto* b) { return rank(*a) < rank(*b); });
  const auto refused = static_cast<std::size_t>(
      std::count_if(shown.begin(), shown.end(), [](const auto* input) { return input->refused; }));
  std::string text = "<section aria-labelledby=\"lto\">\n<h2 id=\"lto\">Link-time code</h2>\n";
  text +=
      fmt::format("<p>{} judged for {}: {} with link-time code, of which {} would stop the link.</p>\n",
                  counted(lto.inputs.size(), "input"), html(lto.linker.empty() ? "no linker" : lto.linker),
                  counted(shown.size()), counted(refused));
  if (shown.empty())
    return text + "</section>\n";
  // Thousands of members would make the page too long to scroll: inputs without problems are cut first.
  constexpr std::size_t limit = 500;
  const std::size_t left_out = shown.size() > limit ? shown.size() - limit : 0;
  shown.resize(shown.size() - left_out);
  std::string rows;
  for (const auto* const input : shown)
    rows += row(*input);
  text += fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Link-time code, "
      "scrollable\">\n<table "
      "class=\"list\">\n<caption>Who wrote each input, and whether the linker can read it.</caption>\n"
      "<thead><tr><th scope=\"col\">Verdict</th><th scope=\"col\">Input</th><th scope=\"col\">Code</th><th "
      "scope=\"col\">Written by</th><th scope=\"col\">Why, and what to "
      "do</th></tr></thead>\n<tbody>\n{}</tbody>\n"
      "</table>\n</div>\n",
      rows);
  if (left_out > 0)
    text += fmt::format("<p>{} more are left out, the gravest are above: hostpin lto-check shows all.</p>\n",
                        counted(left_out));
  return text + "</section>\n";
}

} // namespace hostpin
