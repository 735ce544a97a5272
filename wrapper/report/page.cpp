// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/report/page.hpp"

#include "toolchains/base/files.hpp"
#include "toolchains/base/writing.hpp"
#include "wrapper/report/html.hpp"
#include "wrapper/report/sections.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace hostpin::report {

namespace {

namespace fs = std::filesystem;

struct Entry {
  std::string anchor, name, html;
};

std::vector<Entry> sections(const ReportContent& content) {
  std::vector<Entry> all{{"decision", "The decision", decision_section(content)},
                         {"compilers", "Toolkits and compilers", matrix_section(content)}};
  if (content.lto)
    all.push_back({"lto", "Link-time code", lto_section(*content.lto)});
  if (content.leaks)
    all.push_back({"leaks", "Leaks", leaks_section(*content.leaks)});
  if (content.libraries)
    all.push_back({"libraries", "libstdc++", libraries_section(*content.libraries)});
  return all;
}

/// One line of the summary: a link to its section, its state as a word, and a short text.
std::string fact(const char* anchor, std::string_view state, const std::string& text) {
  return fmt::format("<li><a href=\"#{}\">{}</a> {}</li>\n", anchor, marked(state), html(text));
}

std::string decision_fact(const ReportContent& content) {
  if (!content.decision.binding)
    return fact("decision", "error", "nothing can be bound: no host compiler is chosen");
  const ReportBinding& binding = *content.decision.binding;
  return fact("decision", "fits",
              fmt::format("{} compiles for {}, {} links", binding.host.name, binding.toolkit.name,
                          binding.link.name));
}

std::string lto_fact(const ReportLto& lto) {
  const auto refused = static_cast<std::size_t>(
      std::count_if(lto.inputs.begin(), lto.inputs.end(), [](const auto& input) { return input.refused; }));
  return fact("lto", refused > 0 ? "error" : "ok",
              refused > 0 ? counted(refused, "input") + " would stop the link"
                          : "link-time code of " + counted(lto.inputs.size(), "input"));
}

std::string leaks_fact(const ReportLeaks& leaks) {
  std::map<std::string_view, std::size_t> counts;
  for (const ReportFinding& finding : leaks.findings)
    ++counts[finding.severity];
  std::string text;
  for (const char* const severity : {"error", "warning", "note"})
    if (const std::size_t count = counts[severity]; count > 0)
      text += (text.empty() ? "" : ", ") + counted(count, severity);
  text = text.empty() ? "no findings" : text;
  if (!leaks.unseen.empty())
    text += ", and " + counted(leaks.unseen.size(), "location") + " not scanned";
  const char* const state = counts["error"] > 0                              ? "error"
                            : counts["warning"] > 0 || !leaks.unseen.empty() ? "warning"
                            : counts["note"] > 0                             ? "note"
                                                                             : "ok";
  return fact("leaks", state, text);
}

std::string libraries_fact(const ReportLibraries& libraries) {
  const auto wrong = static_cast<std::size_t>(
      std::count_if(libraries.files.begin(), libraries.files.end(), [&](const ReportLibraries::File& file) {
        return libraries.judged && !libraries.libraries[file.library].right;
      }));
  return fact("libraries", wrong > 0 ? "warning" : "ok",
              wrong > 0 ? counted(wrong, "file") + " would load another libstdc++"
                        : counted(libraries.files.size(), "file") + " with libstdc++");
}

std::string facts(const ReportContent& content) {
  std::string items = decision_fact(content);
  if (content.lto)
    items += lto_fact(*content.lto);
  if (content.leaks)
    items += leaks_fact(*content.leaks);
  if (content.libraries)
    items += libraries_fact(*content.libraries);
  return fmt::format("<ul class=\"facts\">\n{}</ul>", items);
}

std::string title(const ReportContent& content) {
  if (content.decision.binding)
    return fmt::format("hostpin: {} with {}", html(content.decision.binding->toolkit.name),
                       html(content.decision.binding->host.name));
  return "hostpin: nothing can be bound";
}

/// A report begins like the template, up to the end of its <html> tag, in every release.
bool is_report(const std::string& path) {
  const std::string_view sign =
      page_html.substr(0, page_html.find('>', page_html.find("data-hostpin-report")) + 1);
  std::ifstream file(path, std::ios::binary);
  std::string head(sign.size(), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  return file.gcount() == static_cast<std::streamsize>(head.size()) && head == sign;
}

Error not_replaced(const std::string& path, const char* what) {
  return {fmt::format("{} {}; nothing was written", path, what), "name another file, or remove that one"};
}

constexpr const char* where_one_can = "name a file in a directory where you may write";

Error unseen(const std::string& path, const std::error_code& wrong) {
  return {fmt::format("cannot read {}: {}", path, wrong.message()), where_one_can};
}

/// Checks the directory of a file that does not exist yet.
std::optional<Error> unfit_directory(const fs::path& path) {
  const fs::path parent = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code wrong;
  if (fs::is_directory(parent, wrong))
    return std::nullopt;
  return Error{fmt::format("cannot write {}: there is no directory {}", path.string(), parent.string()),
               "make that directory, or name a file in another one"};
}

} // namespace

std::string filled(std::string_view form, const std::map<std::string, std::string, std::less<>>& values) {
  std::string page;
  for (;;) {
    const std::size_t open = form.find("{{");
    const std::size_t close = open == std::string_view::npos ? open : form.find("}}", open);
    if (close == std::string_view::npos)
      return page.append(form);
    page.append(form.substr(0, open));
    const auto value = values.find(form.substr(open + 2, close - open - 2));
    page.append(value == values.end() ? form.substr(open, close + 2 - open)
                                      : std::string_view(value->second));
    form.remove_prefix(close + 2);
  }
}

std::string report_page(const ReportContent& content) {
  std::string links, body;
  for (const Entry& entry : sections(content)) {
    links += fmt::format("<li><a href=\"#{}\">{}</a></li>", entry.anchor, entry.name);
    body += entry.html;
  }
  const std::string data =
      content.leaks ? leaks_data(*content.leaks) : "{\"rules\":[],\"fixes\":[],\"rows\":[]}";
  return filled(page_html, {{"title", title(content)},
                            {"version", html(content.version)},
                            {"style", std::string(page_css)},
                            {"style-hash", std::string(page_css_hash)},
                            {"script", std::string(page_js)},
                            {"script-hash", std::string(page_js_hash)},
                            {"facts", facts(content)},
                            {"links", links},
                            {"sections", body},
                            {"data", data}});
}

std::optional<Error> unfit_for_report(const std::string& path) {
  if (path.empty())
    return Error{"the page has no name", "name a file to write, or - for standard output"};
  std::error_code wrong;
  const fs::file_status itself = fs::symlink_status(path, wrong);
  if (itself.type() == fs::file_type::not_found)
    return unfit_directory(path);
  const fs::file_status status = fs::status(path, wrong);
  if (status.type() == fs::file_type::not_found)
    return not_replaced(path, "is a dangling symlink");
  if (wrong)
    return unseen(path, wrong);
  if (status.type() == fs::file_type::directory)
    return not_replaced(path, "is a directory");
  if (status.type() != fs::file_type::regular)
    return Error{fmt::format("{} is not a regular file; nothing was written", path),
                 "for standard output use -o -"};
  if (fs::file_size(path, wrong) > 0 && !is_report(path))
    return not_replaced(path, "is not a report of hostpin");
  return std::nullopt;
}

Result<void> write_report(const std::string& path, std::string_view page) {
  if (auto unfit = unfit_for_report(path))
    return tl::unexpected(*std::move(unfit));
  std::error_code wrong;
  const fs::path real = fs::weakly_canonical(path, wrong);
  if (wrong)
    return tl::unexpected(unseen(path, wrong));
  auto written = replace_file(real.string(), page, false);
  if (!written)
    written.error().hint = where_one_can;
  return written;
}

} // namespace hostpin::report
