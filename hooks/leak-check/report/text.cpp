// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/report/report.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace hostpin {

namespace {

constexpr std::size_t most_places = 10; // of one cause; JSON has them all

/// As a terminal may show it: names of files and what stands in them are any bytes.
std::string plain(const std::string& text) {
  return shown(Location{text, {}, {}, std::nullopt});
}

std::string place(const Finding& finding) {
  std::string text = shown(finding.where);
  if (!finding.where.section.empty())
    text += ", " + plain(finding.where.section);
  if (finding.where.offset)
    text += fmt::format(" at {:#x}", *finding.where.offset);
  return text;
}

/// Findings with one cause.
using Cause = std::vector<const Finding*>;

std::vector<Cause> causes(const Findings& findings, bool notes) {
  std::vector<Cause> result;
  std::map<std::tuple<Severity, Rule, std::string>, std::size_t> known;
  for (const Finding& finding : findings.found) {
    if (finding.severity == Severity::note && !notes)
      continue;
    const auto [entry, fresh] =
        known.emplace(std::tuple(finding.severity, finding.rule, finding.reference), result.size());
    if (fresh)
      result.emplace_back();
    result[entry->second].push_back(&finding);
  }
  std::stable_sort(result.begin(), result.end(), [](const Cause& a, const Cause& b) {
    return std::tuple(b.front()->severity, a.front()->rule) <
           std::tuple(a.front()->severity, b.front()->rule);
  });
  return result;
}

void append(std::string& text, const Cause& cause) {
  const Finding& first = *cause.front();
  const RuleText& rule = text_of(first.rule);
  text += fmt::format("{}: {}: {}\n  {}\n", to_string(first.severity), rule.name, plain(first.reference),
                      rule.explanation);
  for (std::size_t i = 0; i < cause.size() && i < most_places; ++i) {
    text += "    " + place(*cause[i]) + '\n';
    if (!cause[i]->resolved.empty())
      text += "      would be loaded: " + plain(cause[i]->resolved) + '\n';
    if (!cause[i]->explanation.empty())
      text += "      " + plain(cause[i]->explanation) + '\n';
  }
  if (cause.size() > most_places)
    text += fmt::format("    and {} more; --json names them all\n", cause.size() - most_places);
  text += fmt::format("  cure: {}\n\n", first.cure.empty() ? rule.cure : std::string_view(first.cure));
}

std::string count(std::size_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

} // namespace

std::string report_text(const Findings& findings, bool notes) {
  std::string text;
  for (const Cause& cause : causes(findings, notes))
    append(text, cause);
  if (!findings.unseen.empty()) {
    text += "not looked at:\n";
    for (std::size_t i = 0; i < findings.unseen.size() && i < most_places; ++i)
      text += fmt::format("    {}: {}\n", shown(findings.unseen[i].where), plain(findings.unseen[i].reason));
    if (findings.unseen.size() > most_places)
      text += fmt::format("    and {} more; --json names them all\n", findings.unseen.size() - most_places);
    text += '\n';
  }
  std::array<std::size_t, 3> counts{};
  for (const Finding& finding : findings.found)
    ++counts[static_cast<std::size_t>(finding.severity)];
  text += fmt::format("{}: {}, {}, {}{}\n", count(findings.files, "file"), count(counts[2], "error"),
                      count(counts[1], "warning"), count(counts[0], "note"),
                      counts[0] > 0 && !notes ? " (--notes shows them)" : "");
  return text;
}

std::string rules_text() {
  std::string text;
  for (const RuleText& rule : rules())
    text += fmt::format("{} ({})\n  {}\n  cure: {}\n\n", rule.name, to_string(rule.severity),
                        rule.explanation, rule.cure);
  return text;
}

} // namespace hostpin
