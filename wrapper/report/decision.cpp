// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/report/html.hpp"
#include "wrapper/report/sections.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hostpin::report {

namespace {

using Part = ReportBinding::Part;

std::string description(const ReportBinding& binding) {
  std::string text = fmt::format(
      "{} hands the host half of .cu files to {}. {} compiles everything else. Both kinds of objects, "
      "and the device code, are linked by {}.",
      binding.toolkit.name, binding.host.name, binding.stdenv.name, binding.link.name);
  if (!binding.library.name.empty())
    text += fmt::format(" Programs then load {}, {}.", binding.library.name, binding.library.path);
  if (!binding.target.name.empty())
    text += fmt::format(" All are for {}, another machine than this one.", binding.target.name);
  return text;
}

Picture picture(const ReportBinding& binding) {
  Picture all{"binding",
              "Who compiles, who links, and which C++ library programs load",
              description(binding),
              {},
              {}};
  const auto box = [&](const char* role, const Part& part, Mood mood) {
    all.boxes.push_back({role, part.name, part.path, mood});
    return all.boxes.size() - 1;
  };
  const std::size_t toolkit = box("is called for .cu files", binding.toolkit, Mood::plain);
  const std::size_t host = box("compiles their host half", binding.host, Mood::accent);
  const std::size_t stdenv = box("compiles everything else", binding.stdenv, Mood::plain);
  const std::size_t link = box("links", binding.link, Mood::accent);
  all.arrows = {{toolkit, host, "host half", Mood::plain},
                {toolkit, link, "device code", Mood::plain},
                {host, link, "objects", Mood::plain},
                {stdenv, link, "objects", Mood::plain}};
  if (!binding.library.name.empty())
    all.arrows.push_back(
        {link, box("is loaded by programs", binding.library, Mood::good), "loads", Mood::good});
  return all;
}

std::string parts(const ReportBinding& binding) {
  std::string rows;
  const auto row = [&](const char* role, const Part& part) {
    if (part.name.empty())
      return;
    rows += definition(
        role,
        fmt::format("<strong>{}</strong>{}{}", html(part.name),
                    part.path.empty() ? "" : ' ' + path_span(part.path, true),
                    part.why.empty() ? "" : fmt::format(" <span class=\"quiet\">{}</span>", html(part.why))));
  };
  row("Toolkit", binding.toolkit);
  row("Target", binding.target);
  row("Compiles the host half", binding.host);
  row("Compiles everything else", binding.stdenv);
  row("Links", binding.link);
  row("Programs load", binding.library);
  return fmt::format("<dl class=\"parts\">\n{}</dl>\n", rows);
}

std::string failed(const ReportDecision& decision) {
  return fmt::format(
      "<div class=\"failure\"><p>{} <strong>Nothing can be bound.</strong></p>\n<pre>{}</pre>\n{}</div>\n",
      marked("error"), html_lines(decision.error),
      decision.hint.empty() ? "" : fmt::format("<p>Next: {}</p>\n", html(decision.hint)));
}

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

  std::string as_html() const {
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

std::string columns(const ReportContent& content) {
  std::string cells = columns_of({"Compiler"});
  for (std::size_t i = 0; i < content.toolkits.size(); ++i) {
    const ReportToolkit& toolkit = content.toolkits[i];
    const bool in_use = i == content.chosen;
    cells += fmt::format("<th scope=\"col\"{}>{}{}{}</th>\n", in_use ? " class=\"chosen\"" : "",
                         html(toolkit.name), in_use ? " <span class=\"badge\">in use</span>" : "",
                         path_span(toolkit.root, true));
  }
  return cells;
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
      "<th scope=\"row\">{}{}{}</th>\n",
      compiler.name.empty() ? "<span class=\"quiet\">no answer</span>" : html(compiler.name),
      compiler.is_stdenv ? " <span class=\"badge\">stdenv</span>" : "", path_span(compiler.driver, true));
  for (std::size_t i = 0; i < compiler.verdicts.size(); ++i)
    cells += cell(compiler, content.toolkits[i], compiler.verdicts[i], sources);
  return fmt::format("<tr>\n{}</tr>\n", cells);
}

std::string toolkit_item(const std::string& name, const std::string& path, const std::string& origin,
                         const std::string& what) {
  return fmt::format("<li>{} {} <span class=\"quiet\">found by {}</span><br>{}</li>\n", name, path_span(path),
                     html(origin), what);
}

std::string toolkit_list(const ReportContent& content) {
  std::string items;
  for (const ReportToolkit& toolkit : content.toolkits)
    items += toolkit_item(
        fmt::format("<strong>{}</strong>", html(toolkit.name)), toolkit.root, toolkit.origin,
        fmt::format("{}; {}{}", html(toolkit.documented), html(toolkit.enforced), note_list(toolkit.notes)));
  for (const RejectedToolkit& rejected : content.rejected)
    items += toolkit_item(marked("broken"), rejected.path, rejected.origin, html(rejected.reason));
  return items.empty() ? items : "<h3>What each toolkit accepts</h3>\n" + list("toolkits", items);
}

std::string verdicts(const ReportContent& content) {
  if (content.toolkits.empty() || content.compilers.empty())
    return fmt::format("<p>There is nothing to compare: {} and {} were found.</p>\n",
                       counted(content.toolkits.size(), "toolkit"),
                       counted(content.compilers.size(), "compiler"));
  Sources sources;
  std::string rows;
  for (const ReportCompiler& compiler : content.compilers)
    rows += row(compiler, content, sources);
  return table("class=\"matrix\" id=\"matrix\"", "Verdicts",
               "Whether each compiler may compile the host half for each toolkit. Numbers in brackets refer "
               "to the "
               "sources below.",
               columns(content), rows) +
         "<p id=\"cell-detail\" class=\"detail\" role=\"status\" hidden></p>\n" + sources.as_html();
}

} // namespace

std::string decision_section(const ReportContent& content) {
  if (!content.decision.binding)
    return section("decision", "The decision", failed(content.decision));
  const ReportBinding& binding = *content.decision.binding;
  const Picture shown = picture(binding);
  return section(
      "decision", "The decision",
      fmt::format("<figure>\n<div class=\"wide\">{}</div>\n<div class=\"narrow\">{}</div>\n</figure>\n{}{}",
                  svg(shown, Flow::right), svg(shown, Flow::down), parts(binding), note_list(binding.notes)));
}

std::string matrix_section(const ReportContent& content) {
  return section("compilers", "Toolkits and compilers", verdicts(content) + toolkit_list(content));
}

} // namespace hostpin::report
