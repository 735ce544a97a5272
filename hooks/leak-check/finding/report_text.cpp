// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/finding/report.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace hostpin::leak {

namespace {

constexpr std::size_t most_places = 10;     // of one cause; JSON has all
constexpr std::size_t most_references = 20; // of one rule and severity

using Run = std::span<const Finding* const>; // adjacent in the order of the report

/// Escaped for a terminal: file names and contents are any bytes.
std::string plain(std::string_view text) {
  return shown(Location{std::string(text), {}, {}, std::nullopt});
}

std::string place(const Finding& finding) {
  std::string text = shown(finding.where);
  if (!finding.where.section.empty())
    text += ", " + plain(finding.where.section);
  if (finding.where.offset && finding.where.section != "symlink")
    text += fmt::format(" at {:#x}", *finding.where.offset);
  return text;
}

std::string count(std::uint64_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

/// A line for those after the first `shown_ones` of `all`.
std::string rest(std::size_t all, std::size_t shown_ones) {
  return all > shown_ones ? fmt::format("    and {} more; --json lists all\n", all - shown_ones)
                          : std::string();
}

std::string_view fix(const Finding& finding) {
  return finding.fix.empty() ? text_of(finding.rule).fix : std::string_view(finding.fix);
}

/// What is printed once for adjacent findings that agree in it.
auto remark(const Finding& finding) {
  return std::tuple<const std::string&, const std::string&, std::string_view>(
      finding.resolved, finding.explanation, fix(finding));
}

/// Takes the first finding and those after it with the same key; they are adjacent.
template <typename Key>
Run take_run(Run& rest, const Key& key) {
  const auto end = std::find_if(rest.begin() + 1, rest.end(),
                                [&](const Finding* other) { return key(*other) != key(*rest.front()); });
  const auto size = static_cast<std::size_t>(end - rest.begin());
  const Run run = rest.first(size);
  rest = rest.subspan(size);
  return run;
}

/// The most severe first, then by rule, reference and remark.
std::vector<const Finding*> in_order(const std::vector<Finding>& found, bool notes) {
  std::vector<const Finding*> all;
  for (const Finding& one : found)
    if (one.severity > Severity::note || notes)
      all.push_back(&one);
  std::stable_sort(all.begin(), all.end(), [](const Finding* a, const Finding* b) {
    if (a->severity != b->severity)
      return a->severity > b->severity;
    return std::tie(a->rule, a->reference) != std::tie(b->rule, b->reference)
               ? std::tie(a->rule, a->reference) < std::tie(b->rule, b->reference)
               : remark(*a) < remark(*b);
  });
  return all;
}

const std::string& reference(const Finding& finding) {
  return finding.reference;
}

std::string named(const Finding& finding) {
  return finding.reference.empty() ? "(empty)" : plain(finding.reference);
}

std::string remark_text(const Finding& one, bool with_fix, const Terminal& terminal) {
  std::string text;
  if (!one.resolved.empty())
    text += fmt::format("      {}: {}\n", resolution(one), plain(one.resolved));
  if (!one.explanation.empty())
    text += paragraph(plain(one.explanation), terminal, 6, 6);
  if (with_fix)
    text += paragraph("fix: " + plain(fix(one)), terminal, 6, 8);
  return text;
}

/// The locations of findings of one reference.
std::string places_text(Run findings, bool with_fixes, const Terminal& terminal) {
  std::string text;
  std::size_t places = 0;
  for (Run left = findings; !left.empty() && places < most_places;) {
    const Run same = take_run(left, remark);
    for (const Finding* one : same.first(std::min(same.size(), most_places - places)))
      text += "    " + place(*one) + '\n';
    places += same.size();
    text += remark_text(*same.front(), with_fixes, terminal);
  }
  return text + rest(findings.size(), most_places);
}

/// Findings of one rule and severity.
std::string group_text(Run findings, const Terminal& terminal) {
  const Finding& first = *findings.front();
  const bool one_fix = std::all_of(findings.begin(), findings.end(),
                                   [&](const Finding* other) { return fix(*other) == fix(first); });
  std::size_t references = 0;
  for (Run left = findings; !left.empty(); ++references)
    take_run(left, reference);
  const RuleText& rule = text_of(first.rule);
  std::string text = fmt::format("{}: {}: {}\n{}", to_string(first.severity), rule.name,
                                 references == 1 ? named(first) : count(references, "reference"),
                                 paragraph(rule.explanation, terminal, 2, 2));
  Run left = findings;
  for (std::size_t i = 0; i < references && i < most_references; ++i) {
    const Run here = take_run(left, reference);
    if (references > 1)
      text += "  " + named(*here.front()) + '\n';
    text += places_text(here, !one_fix, terminal);
  }
  text += rest(references, most_references);
  return text + (one_fix ? paragraph("fix: " + plain(fix(first)), terminal, 2, 4) : "") + '\n';
}

std::string unseen_text(const std::vector<Unseen>& unseen) {
  if (unseen.empty())
    return {};
  std::string text = "not scanned:\n";
  for (std::size_t i = 0; i < unseen.size() && i < most_places; ++i)
    text += fmt::format("    {}{}: {}\n", shown(unseen[i].where),
                        unseen[i].where.section.empty() ? "" : ", " + plain(unseen[i].where.section),
                        plain(unseen[i].reason));
  return text + rest(unseen.size(), most_places) + '\n';
}

/// Which GPUs the tree has code for: `8.0 machine code, 9.0 PTX`.
std::string device_code_text(const fatbin::Holding& holding, const Terminal& terminal) {
  std::string text;
  for (const auto& [held, amount] : holding.codes) {
    if (held.use != fatbin::CodeUse::run)
      continue;
    text += text.empty() ? "device code: " : ", ";
    text += fatbin::to_string(held);
  }
  return text.empty() ? text : paragraph(text + " (hostpin fatbin shows more)", terminal, 0, 2);
}

} // namespace

std::string report_text(const Findings& findings, bool notes, const Terminal& terminal) {
  const std::vector<const Finding*> all = in_order(findings.found, notes);
  const auto kind = [](const Finding& one) { return std::tuple(one.severity, one.rule); };
  std::string text;
  for (Run left = all; !left.empty();)
    text += group_text(take_run(left, kind), terminal);
  text += unseen_text(findings.unseen) + device_code_text(findings.device_code, terminal);
  const std::size_t only_notes = findings.count(Severity::note);
  return text +
         fmt::format("{}: {}, {}, {}{}{}\n", count(findings.files, "file"),
                     count(findings.count(Severity::error), "error"),
                     count(findings.count(Severity::warning), "warning"), count(only_notes, "note"),
                     only_notes > 0 && !notes ? " (--notes shows them)" : "",
                     findings.unseen.empty() ? "" : fmt::format(", {} not scanned", findings.unseen.size()));
}

std::string rules_text(const Terminal& terminal, Tool tool) {
  std::string text;
  for (const RuleText& rule : rules_of(tool))
    text += fmt::format("{} ({})\n{}{}\n", rule.name, to_string(rule.highest),
                        paragraph(rule.explanation, terminal, 2, 2),
                        paragraph(std::string("fix: ").append(rule.fix), terminal, 2, 4));
  return text;
}

} // namespace hostpin::leak
