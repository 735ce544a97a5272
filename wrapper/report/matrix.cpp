// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/report/mark.hpp"
#include "wrapper/report/sections.hpp"
#include "wrapper/report/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hostpin {

namespace {

/// Sources are long and few: cells refer to them by number.
class Sources {
public:
  std::size_t number(const std::string& source) {
    const auto found = std::find(all_.begin(), all_.end(), source);
    if (found != all_.end())
      return static_cast<std::size_t>(found - all_.begin()) + 1;
    all_.push_back(source);
    return all_.size();
  }

  std::string list() const {
    if (all_.empty())
      return {};
    std::string items;
    for (const std::string& source : all_)
      items += fmt::format("<li>{}</li>\n", html(source));
    return fmt::format("<h3 id=\"sources\">Sources of the verdicts</h3>\n<ol class=\"sources\">\n{}</ol>\n",
                       items);
  }

private:
  std::vector<std::string> all_;
};

std::string head(const ReportContent& content) {
  std::string cells = "<th scope=\"col\">Compiler</th>\n";
  for (std::size_t i = 0; i < content.toolkits.size(); ++i) {
    const ReportToolkit& toolkit = content.toolkits[i];
    cells += fmt::format("<th scope=\"col\"{}>{}{}<span class=\"path\">{}</span></th>\n",
                         i == content.chosen ? " class=\"chosen\"" : "", html(toolkit.name),
                         i == content.chosen ? " <span class=\"badge\">in use</span>" : "",
                         html_path(toolkit.root));
  }
  return fmt::format("<thead><tr>\n{}</tr></thead>\n", cells);
}

std::string cell(const ReportCompiler& compiler, const ReportToolkit& toolkit, const ReportVerdict& verdict,
                 Sources& sources) {
  return fmt::format(
      "<td class=\"verdict {}{}\" data-verdict=\"{}\" data-driver=\"{}\" data-toolkit=\"{}\" "
      "data-source=\"{}\">{}{} <span class=\"reason\">{}{}</span></td>\n",
      mark(verdict.verdict).style, verdict.chosen ? " chosen" : "", html(verdict.verdict),
      html(compiler.driver), html(toolkit.root), html(verdict.source), marked(verdict.verdict),
      verdict.chosen ? " <span class=\"badge\">compiles</span>" : "", html(verdict.reason),
      verdict.source.empty()
          ? ""
          : fmt::format(" <span class=\"cite\"><span class=\"spoken\">source </span>[{}]</span>",
                        sources.number(verdict.source)));
}

std::string row(const ReportCompiler& compiler, const ReportContent& content, Sources& sources) {
  std::string cells = fmt::format(
      "<th scope=\"row\">{}{}<span class=\"path\">{}</span></th>\n",
      compiler.name.empty() ? "<span class=\"quiet\">no answer</span>" : html(compiler.name),
      compiler.is_stdenv ? " <span class=\"badge\">stdenv</span>" : "", html_path(compiler.driver));
  for (std::size_t i = 0; i < compiler.verdicts.size(); ++i)
    cells += cell(compiler, content.toolkits[i], compiler.verdicts[i], sources);
  return fmt::format("<tr>\n{}</tr>\n", cells);
}

std::string toolkit_list(const ReportContent& content) {
  std::string items;
  for (const ReportToolkit& toolkit : content.toolkits) {
    items +=
        fmt::format("<li><strong>{}</strong> <span class=\"path\">{}</span> <span class=\"quiet\">found by "
                    "{}</span><br>{}; {}",
                    html(toolkit.name), html(toolkit.root), html(toolkit.origin), html(toolkit.documented),
                    html(toolkit.enforced));
    items += note_list(toolkit.notes) + "</li>\n";
  }
  for (const RejectedToolkit& rejected : content.rejected)
    items += fmt::format(
        "<li>{} <span class=\"path\">{}</span> <span class=\"quiet\">found by {}</span><br>{}</li>\n",
        marked("broken"), html(rejected.path), html(rejected.origin), html(rejected.reason));
  return items.empty()
             ? items
             : fmt::format("<h3>What each toolkit takes</h3>\n<ul class=\"toolkits\">\n{}</ul>\n", items);
}

std::string table(const ReportContent& content) {
  if (content.toolkits.empty() || content.compilers.empty())
    return fmt::format("<p>There is nothing to compare: {} and {} were found.</p>\n",
                       counted(content.toolkits.size(), "toolkit"),
                       counted(content.compilers.size(), "compiler"));
  Sources sources;
  std::string rows;
  for (const ReportCompiler& compiler : content.compilers)
    rows += row(compiler, content, sources);
  return fmt::format("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Verdicts, "
                     "scrollable\">\n<table "
                     "class=\"matrix\" id=\"matrix\">\n<caption>Whether each compiler may compile the host "
                     "half for each "
                     "toolkit. Numbers in brackets name sources, "
                     "below.</caption>\n{}<tbody>\n{}</tbody>\n</table>\n</div>\n<p "
                     "id=\"cell-detail\" class=\"detail\" role=\"status\" hidden></p>\n",
                     head(content), rows) +
         sources.list();
}

} // namespace

std::string matrix_section(const ReportContent& content) {
  return "<section aria-labelledby=\"compilers\">\n<h2 id=\"compilers\">Toolkits and compilers</h2>\n" +
         table(content) + toolkit_list(content) + "</section>\n";
}

} // namespace hostpin
