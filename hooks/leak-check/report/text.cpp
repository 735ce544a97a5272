// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/report/report.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace hostpin {

namespace {

constexpr std::size_t most_places = 10;     // of one cause; JSON has them all
constexpr std::size_t most_references = 20; // of one rule and severity

/// As a terminal may show it: names of files and what stands in them are any bytes.
std::string plain(const std::string& text) {
  return shown(Location{text, {}, {}, std::nullopt});
}

std::string place(const Finding& finding) {
  std::string text = shown(finding.where);
  if (!finding.where.section.empty())
    text += ", " + plain(finding.where.section);
  if (finding.where.offset && finding.where.section != "symlink")
    text += fmt::format(" at {:#x}", *finding.where.offset);
  return text;
}

std::string count(std::size_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

/// Whatever is behind the first `shown_ones` of `all`.
std::string rest(std::size_t all, std::size_t shown_ones) {
  return all > shown_ones ? fmt::format("    and {} more; --json names them all\n", all - shown_ones)
                          : std::string();
}

using Several = std::vector<const Finding*>;

std::string_view cure(const Finding& finding) {
  return finding.cure.empty() ? text_of(finding.rule).cure : std::string_view(finding.cure);
}

/// What is said of findings once where they agree in it.
auto remark(const Finding& finding) {
  return std::tuple(std::string_view(finding.resolved), std::string_view(finding.explanation), cure(finding));
}

/// Runs of neighbours that agree in something.
template <typename Key>
std::vector<Several> runs(const Several& findings, const Key& key) {
  std::vector<Several> result;
  for (const Finding* const finding : findings) {
    if (result.empty() || key(*result.back().front()) != key(*finding))
      result.emplace_back();
    result.back().push_back(finding);
  }
  return result;
}

/// The gravest first, then in the order of rules, of what was found, and of what is said of it.
Several in_order(const Findings& findings, bool notes) {
  Several all;
  for (const Finding& finding : findings.found)
    if (finding.severity > Severity::note || notes)
      all.push_back(&finding);
  std::stable_sort(all.begin(), all.end(), [](const Finding* a, const Finding* b) {
    if (a->severity != b->severity)
      return a->severity > b->severity;
    return std::tuple(a->rule, std::string_view(a->reference), remark(*a)) <
           std::tuple(b->rule, std::string_view(b->reference), remark(*b));
  });
  return all;
}

/// Findings of one rule and severity.
class Group {
public:
  explicit Group(const Several& findings)
      : first_(*findings.front()),
        references_(runs(findings, [](const Finding& one) { return std::string_view(one.reference); })) {
    std::set<std::string_view> cures;
    for (const Finding* const finding : findings)
      cures.insert(cure(*finding));
    one_cure_ = cures.size() == 1;
  }

  std::string text() const {
    const RuleText& rule = text_of(first_.rule);
    const bool one = references_.size() == 1;
    std::string text =
        fmt::format("{}: {}: {}\n  {}\n", to_string(first_.severity), rule.name,
                    one ? named(first_) : count(references_.size(), "reference"), rule.explanation);
    for (std::size_t i = 0; i < references_.size() && i < most_references; ++i) {
      if (!one)
        text += "  " + named(*references_[i].front()) + '\n';
      text += of_reference(references_[i]);
    }
    text += rest(references_.size(), most_references);
    return text + (one_cure_ ? fmt::format("  cure: {}\n\n", plain(std::string(cure(first_)))) : "\n");
  }

private:
  static std::string named(const Finding& finding) {
    return finding.reference.empty() ? "(empty)" : plain(finding.reference);
  }

  std::string of_reference(const Several& findings) const {
    std::string text;
    std::size_t places = 0;
    for (const Several& same : runs(findings, remark)) {
      if (places >= most_places)
        break;
      for (const Finding* const finding : same)
        if (places++ < most_places)
          text += "    " + place(*finding) + '\n';
      const Finding& one = *same.front();
      if (!one.resolved.empty())
        text += fmt::format("      {}: {}\n", resolution(one), plain(one.resolved));
      if (!one.explanation.empty())
        text += "      " + plain(one.explanation) + '\n';
      if (!one_cure_)
        text += fmt::format("      cure: {}\n", plain(std::string(cure(one))));
    }
    return text + rest(findings.size(), most_places);
  }

  const Finding& first_;
  std::vector<Several> references_;
  bool one_cure_ = false;
};

std::string unseen_text(const std::vector<Unseen>& unseen) {
  if (unseen.empty())
    return {};
  std::string text = "not looked at:\n";
  for (std::size_t i = 0; i < unseen.size() && i < most_places; ++i) {
    const std::string& section = unseen[i].where.section;
    text += fmt::format("    {}{}: {}\n", shown(unseen[i].where),
                        section.empty() ? "" : ", " + plain(section), plain(unseen[i].reason));
  }
  return text + rest(unseen.size(), most_places) + '\n';
}

/// Which GPUs the tree has code for: `8.0 machine code, 9.0 PTX`.
std::string device_code_text(const Holding& holding) {
  std::string text;
  for (const auto& [held, amount] : holding.codes) {
    if (held.use != CodeUse::run)
      continue;
    text += text.empty() ? "device code: " : ", ";
    text += to_string(held);
  }
  return text.empty() ? text : text + " (hostpin fatbin shows more)\n";
}

} // namespace

std::string report_text(const Findings& findings, bool notes) {
  std::string text;
  const auto kind = [](const Finding& one) { return std::tuple(one.severity, one.rule); };
  for (const Several& group : runs(in_order(findings, notes), kind))
    text += Group(group).text();
  text += unseen_text(findings.unseen);
  text += device_code_text(findings.device_code);
  std::array<std::size_t, 3> counts{};
  for (const Finding& finding : findings.found)
    ++counts[static_cast<std::size_t>(finding.severity)];
  text +=
      fmt::format("{}: {}, {}, {}{}{}\n", count(findings.files, "file"), count(counts[2], "error"),
                  count(counts[1], "warning"), count(counts[0], "note"),
                  counts[0] > 0 && !notes ? " (--notes shows them)" : "",
                  findings.unseen.empty() ? "" : fmt::format(", {} not looked at", findings.unseen.size()));
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
