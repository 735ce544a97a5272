// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/report/library_picture.hpp"
#include "wrapper/report/mark.hpp"
#include "wrapper/report/sections.hpp"
#include "wrapper/report/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hostpin {

namespace {

using File = ReportLibraries::File;
using Library = ReportLibraries::Library;

/// A longer list is collapsed.
constexpr std::size_t open_limit = 20;
/// A list that is longer than this is truncated.
constexpr std::size_t list_limit = 1000;

std::string verdict(const ReportLibraries& all, const Library& library) {
  if (!all.judged)
    return {};
  return library.right ? "<span class=\"mark good\"><span aria-hidden=\"true\">✓</span> the binding's</span>"
                       : "<span class=\"mark bad\"><span aria-hidden=\"true\">✕</span> another one</span>";
}

std::string item(const File& file) {
  std::string text = fmt::format("<li><span class=\"path\">{}</span>", html(file.path));
  std::string ways;
  for (const auto& chain : file.chains)
    if (chain.size() > 1) {
      std::string way;
      for (std::size_t i = 1; i < chain.size(); ++i)
        way += fmt::format("{}<span class=\"path\">{}</span>", i > 1 ? ", then " : "", html(chain[i]));
      ways += (ways.empty() ? " by way of " : "; also by way of ") + way;
    }
  text += ways;
  for (const std::string& need : file.unmet)
    text += fmt::format("<br>{} {}", marked("error"), html(need));
  return text + "</li>\n";
}

std::string folded(std::size_t count, const std::string& items, const char* what) {
  const std::string list = fmt::format("<ul class=\"files\">\n{}</ul>\n", items);
  if (count <= open_limit)
    return list;
  return fmt::format("<details><summary>All {} {}</summary>\n{}</details>\n", counted(count), what, list);
}

std::string library_list(const ReportLibraries& all, std::size_t index) {
  const Library& library = all.libraries[index];
  std::string items;
  std::size_t count = 0;
  for (const File& file : all.files)
    if (file.library == index && ++count <= list_limit)
      items += item(file);
  if (count > list_limit)
    items += fmt::format("<li>and {} more</li>\n", counted(count - list_limit));
  return fmt::format("<h3><span class=\"path\">{}</span> {}</h3>\n<p>{}{}</p>\n{}", html(library.path),
                     verdict(all, library),
                     library.version.empty() ? "" : fmt::format("Defines up to {}. ", html(library.version)),
                     count == 1 ? "One file leads to it:"
                                : fmt::format("{} files lead to it:", counted(count)),
                     folded(count, items, "files"));
}

std::string not_found(const ReportLibraries& all) {
  if (all.not_found.empty())
    return {};
  std::string items;
  for (std::size_t i = 0; i < std::min(all.not_found.size(), list_limit); ++i)
    items += fmt::format("<li><span class=\"path\">{}</span></li>\n", html(all.not_found[i]));
  return fmt::format(
      "<h3>{} No libstdc++ for these</h3>\n<p>They want one, and there is none where their loader would "
      "look.</p>\n{}",
      marked("not-found"), folded(all.not_found.size(), items, "files"));
}

} // namespace

std::string libraries_section(const ReportLibraries& libraries) {
  std::string text = "<section aria-labelledby=\"libraries\">\n<h2 id=\"libraries\">Which file leads to "
                     "which libstdc++</h2>\n";
  std::string counts =
      libraries.files.size() == 1 ? "1 file leads" : counted(libraries.files.size()) + " files lead";
  counts += libraries.libraries.size() == 1
                ? " to one libstdc++"
                : fmt::format(" to {} different ones", libraries.libraries.size());
  counts += fmt::format(", {} want none", counted(libraries.without));
  if (libraries.incomplete > 0)
    counts += fmt::format(", of {} it cannot be told, as what they need is not found",
                          counted(libraries.incomplete));
  if (libraries.elsewhere > 0)
    counts += fmt::format(", {} left out: another loader", counted(libraries.elsewhere, "program"));
  text += fmt::format(
      "<p>What the loader of linked programs would take, found without running anything: {}.</p>\n", counts);
  if (!libraries.files.empty()) {
    const LibraryPicture shown = library_picture(libraries);
    text += fmt::format(
        "<figure>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Graph of libraries, "
        "scrollable\">{}</div>\n",
        svg(shown.picture, Flow::right));
    if (shown.left_out > 0)
      text +=
          fmt::format("<figcaption>{} of files without trouble are left out of the picture; the lists have "
                      "them.</figcaption>\n",
                      counted(shown.left_out, "group"));
    text += "</figure>\n";
  }
  for (std::size_t i = 0; i < libraries.libraries.size(); ++i)
    text += library_list(libraries, i);
  if (std::any_of(libraries.files.begin(), libraries.files.end(),
                  [](const File& file) { return !file.unmet.empty(); }))
    text += "<p>Which lines of a source need a version: hostpin stdlib-probe why SOURCE --against LIBRARY -- "
            "COMPILER FLAGS.</p>\n";
  return text + not_found(libraries) + "</section>\n";
}

} // namespace hostpin
