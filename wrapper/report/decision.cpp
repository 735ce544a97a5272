// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/report/mark.hpp"
#include "wrapper/report/picture.hpp"
#include "wrapper/report/sections.hpp"
#include "wrapper/report/text.hpp"

#include <fmt/format.h>

namespace hostpin {

namespace {

using Part = ReportBinding::Part;

std::string description(const ReportBinding& binding) {
  std::string text = fmt::format(
      "{} hands the host half of .cu files to {}. {} compiles everything else. Both kinds of objects, "
      "and the device code, are linked by {}.",
      binding.toolkit.name, binding.host.name, binding.stdenv.name, binding.link.name);
  if (!binding.library.name.empty())
    text += fmt::format(" Programs then load {}, {}.", binding.library.name, binding.library.path);
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
  const std::size_t toolkit = box("takes .cu files", binding.toolkit, Mood::plain);
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

std::string list(const ReportBinding& binding) {
  std::string rows;
  const auto row = [&](const char* role, const Part& part) {
    if (part.name.empty())
      return;
    rows += fmt::format(
        "<div><dt>{}</dt><dd><strong>{}</strong>{}{}</dd></div>\n", role, html(part.name),
        part.path.empty() ? "" : fmt::format(" <span class=\"path\">{}</span>", html_path(part.path)),
        part.why.empty() ? "" : fmt::format(" <span class=\"quiet\">{}</span>", html(part.why)));
  };
  row("Toolkit", binding.toolkit);
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

} // namespace

std::string decision_section(const ReportContent& content) {
  std::string text = "<section aria-labelledby=\"decision\">\n<h2 id=\"decision\">The decision</h2>\n";
  if (!content.decision.binding)
    return text + failed(content.decision) + "</section>\n";
  const ReportBinding& binding = *content.decision.binding;
  const Picture shown = picture(binding);
  text += fmt::format("<figure>\n<div class=\"wide\">{}</div>\n<div class=\"narrow\">{}</div>\n</figure>\n",
                      svg(shown, Flow::right), svg(shown, Flow::down));
  return text + list(binding) + note_list(binding.notes) + "</section>\n";
}

} // namespace hostpin
