// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/comment/markdown.hpp"

#include "toolchains/archive/sha256.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/base/unicode.hpp"
#include "wrapper/matrix/cause.hpp"
#include "wrapper/matrix/json.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

constexpr std::size_t most_cells = 20, most_details = 8, digits_of_commit = 12;

std::string counted(std::size_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string comment_line(std::string_view text) {
  constexpr std::size_t longest = 400;
  return shown_line(text, longest);
}

/// Whether a text is a name without any meaning in Markdown or HTML.
bool is_plain(std::string_view text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+";
  constexpr std::size_t longest = 110; // that of a cell's identifier
  return !text.empty() && text.size() <= longest && text.find_first_not_of(plain) == std::string_view::npos;
}

bool is_commit(std::string_view text) {
  return text.size() >= digits_of_commit && is_hex(text);
}

constexpr std::string_view change_text(Change::Kind kind) {
  switch (kind) {
  case Change::Kind::broken:
    return "broken";
  case Change::Kind::changed:
    return "changed";
  case Change::Kind::noise:
    return "fails and passes with the same inputs";
  default:
    return "not known";
  }
}

std::string heading(const CauseGroup& group, std::size_t number) {
  constexpr std::array<std::string_view, 5> stages{"bind", "configure", "build", "scan", "test"};
  const bool is_known = std::find(stages.begin(), stages.end(), group.stage) != stages.end();
  std::string text =
      fmt::format("#### {}. {}: {}{}, {}\n\n", number, change_text(group.change), known_cause(group),
                  is_known ? " (" + group.stage + ")" : "", counted(group.cells.size(), "cell"));
  if (const CauseRow* const row = cause_of_kind(group.cause))
    text += fmt::format("Cause: {}.\n\n", row->meaning);
  return text;
}

std::string evidence(const CauseGroup& group) {
  std::vector<std::string> lines;
  if (!group.text.empty())
    lines.push_back(comment_line(group.text));
  if (!group.fix.empty())
    lines.push_back("fix: " + comment_line(group.fix));
  for (std::size_t index = 0; index < std::min(group.details.size(), most_details); ++index)
    lines.push_back(comment_line(group.details[index]));
  if (group.details.size() > most_details)
    lines.push_back(fmt::format("and {} more", group.details.size() - most_details));
  return lines.empty() ? "" : code_block("text", lines) + '\n';
}

std::string change_of(const ChangedLines& source) {
  std::vector<std::string> lines{
      comment_line(fmt::format("@@ {}:{} @@ {}", source.place.path, source.place.line, source.subject))};
  for (const auto& [sign, list] : {std::pair{'-', &source.removed}, {'+', &source.added}})
    for (std::size_t index = 0; index < std::min(list->size(), most_changed_lines); ++index)
      lines.push_back(sign + comment_line((*list)[index]));
  const std::string by =
      is_commit(source.commit) ? " by commit " + source.commit.substr(0, digits_of_commit) : "";
  return fmt::format("Changed{}:\n\n{}\n", by, code_block("diff", lines));
}

std::string cell_list(const CauseGroup& group) {
  std::vector<std::string> lines;
  for (std::size_t index = 0; index < std::min(group.cells.size(), most_cells); ++index)
    lines.push_back(comment_line(group.cells[index].id));
  if (group.cells.size() > most_cells)
    lines.push_back(fmt::format("and {} more", group.cells.size() - most_cells));
  return fmt::format("<details><summary>{}</summary>\n\n{}\n</details>\n\n",
                     counted(group.cells.size(), "cell"), code_block("text", lines));
}

std::string section(const Comparison& comparison, const CauseGroup& group, std::size_t number) {
  std::string text = heading(group, number) + evidence(group);
  if (group.source)
    text += change_of(*group.source);
  if (const std::string command = reproduction(comparison, group); !command.empty())
    text += "Reproduce:\n\n" + code_block("sh", {command}) + '\n';
  return text + cell_list(group);
}

std::string beginning(const Comparison& comparison) {
  const std::string name = is_plain(comparison.name) ? fmt::format(" `{}`", comparison.name) : "";
  constexpr std::size_t digits = 64;
  const bool is_known = comparison.plan.size() == digits && is_commit(comparison.plan);
  return fmt::format("{} plan {} -->\n### hostpin matrix{}\n\n**{}**\n\n", comment_marker(comparison),
                     is_known ? comparison.plan : "unknown", name, verdict(comparison));
}

} // namespace

std::string code_block(std::string_view language, const std::vector<std::string>& lines) {
  constexpr std::size_t shortest = 3;
  std::size_t longest = shortest - 1;
  std::string content;
  for (const std::string& line : lines) {
    const std::string safe = escaped(line);
    std::size_t run = 0;
    for (const char character : safe) {
      run = character == '`' ? run + 1 : 0;
      longest = std::max(longest, run);
    }
    content += safe + '\n';
  }
  const std::string fence(longest + 1, '`');
  return fmt::format("{}{}\n{}{}\n", fence, language, content, fence);
}

std::string comment_marker(const Comparison& comparison) {
  constexpr std::size_t digits = 16;
  const std::string& of = comparison.description.empty() ? comparison.name : comparison.description;
  return "<!-- hostpin matrix " + sha256_of(of).substr(0, digits);
}

std::string reproduction(const Comparison& comparison, const CauseGroup& group) {
  const std::string& id = group.cells.front().id;
  if (escaped(comparison.description) != comparison.description || comparison.description.starts_with('-') ||
      !is_plain(id))
    return "";
  const std::vector<std::string> run{
      "hostpin",      "matrix", "run",        comparison.description.empty() ? "PLAN" : "plan",
      "--cell=" + id, "-o",     "result.json"};
  return comparison.description.empty()
             ? shell_words(run)
             : shell_words({"hostpin", "matrix", "plan", comparison.description, "-o", "plan"}) + " && " +
                   shell_words(run);
}

std::string_view known_cause(const CauseGroup& group) {
  if (const CauseRow* const row = cause_of_kind(group.cause))
    return row->kind;
  for (const std::string_view known : {"passed", "failed", "cannot", "lost", "missing", "noise", "size"})
    if (group.cause == known)
      return known;
  return "unknown cause";
}

std::string verdict(const Comparison& comparison) {
  const auto count = [&](Change::Kind kind) { return cells_with(comparison, kind); };
  const std::size_t broken = count(Change::Kind::broken), changed = count(Change::Kind::changed),
                    open = count(Change::Kind::undecided) + count(Change::Kind::noise);
  std::string text;
  if (broken > 0)
    text = fmt::format("{} broken.", counted(broken, "cell"));
  if (changed > 0)
    text += fmt::format("{}{} changed for the worse or for another reason.", text.empty() ? "" : " ",
                        counted(changed, "cell"));
  if (open > 0)
    text += fmt::format("{}{} not known.", text.empty() ? "" : " ", counted(open, "cell"));
  if (text.empty())
    text = "Nothing is broken.";
  return text + fmt::format(" {} fixed, {} new, {} gone, {} the same.", count(Change::Kind::fixed),
                            count(Change::Kind::new_cell), count(Change::Kind::gone), comparison.same);
}

std::vector<const CauseGroup*> reported(const Comparison& comparison) {
  std::vector<const CauseGroup*> groups;
  for (const Change::Kind kind :
       {Change::Kind::broken, Change::Kind::changed, Change::Kind::undecided, Change::Kind::noise}) {
    const auto first = static_cast<std::ptrdiff_t>(groups.size());
    for (const CauseGroup& group : comparison.groups)
      if (group.change == kind)
        groups.push_back(&group);
    std::stable_sort(groups.begin() + first, groups.end(),
                     [](const CauseGroup* one, const CauseGroup* other) {
                       return one->cells.size() > other->cells.size();
                     });
  }
  return groups;
}

std::string markdown(const Comparison& comparison) {
  constexpr std::size_t longest_end = 300;
  std::string text = beginning(comparison);
  const auto groups = reported(comparison);
  std::size_t shown = 0;
  for (; shown < groups.size(); ++shown) {
    const std::string next = section(comparison, *groups[shown], shown + 1);
    if (text.size() + next.size() + longest_end > longest_comment)
      break;
    text += next;
  }
  if (shown < groups.size())
    text += fmt::format("{} more: the job that merges has them all.\n\n",
                        counted(groups.size() - shown, "cause"));
  return text + "Text in blocks is what the programs of the cells printed.\n";
}

std::string comment_request(const Comparison& comparison) {
  return json_text(Json{{"body", markdown(comparison)}});
}

} // namespace hostpin::matrix
