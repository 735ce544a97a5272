// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/report/report.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace hostpin {

namespace {

constexpr std::size_t most_places = 10;     // of one cause; JSON has them all
constexpr std::size_t most_references = 20; // of one rule and severity

using View = FindingList::View;
using Places = std::span<const std::uint32_t>; // of findings in their list

/// As a terminal may show it: names of files and what stands in them are any bytes.
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

/// Whatever is behind the first `shown_ones` of `all`.
std::string rest(std::size_t all, std::size_t shown_ones) {
  return all > shown_ones ? fmt::format("    and {} more; --json names them all\n", all - shown_ones)
                          : std::string();
}

std::string_view cure(const View& finding) {
  return finding.cure.empty() ? text_of(finding.rule).cure : finding.cure;
}

/// What is said of findings once where they agree in it.
auto remark(const View& finding) {
  return std::tuple(finding.resolved, finding.explanation, cure(finding));
}

/// Takes the first of those that agree with the first one in something; they stand together.
template <typename Key>
Places take_run(Places& rest, const FindingList& list, const Key& key) {
  const auto first = key(list.view(rest.front()));
  const auto end = std::find_if(rest.begin() + 1, rest.end(),
                                [&](std::uint32_t other) { return key(list.view(other)) != first; });
  const auto size = static_cast<std::size_t>(end - rest.begin());
  const Places run = rest.first(size);
  rest = rest.subspan(size);
  return run;
}

/// The gravest first, then in the order of rules, of what was found, and of what is said of it.
std::vector<std::uint32_t> in_order(const FindingList& list, bool notes) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < list.size(); ++i)
    if (list.view(i).severity > Severity::note || notes)
      all.push_back(i);
  std::stable_sort(all.begin(), all.end(), [&](std::uint32_t x, std::uint32_t y) {
    const View a = list.view(x), b = list.view(y);
    if (a.severity != b.severity)
      return a.severity > b.severity;
    return std::tuple(a.rule, a.reference, remark(a)) < std::tuple(b.rule, b.reference, remark(b));
  });
  return all;
}

std::string_view reference(const View& finding) {
  return finding.reference;
}

/// Findings of one rule and severity.
class Group {
public:
  /// Keeps a reference.
  Group(const FindingList& list, Places places)
      : list_(list), places_(places), first_(list.view(places.front())) {
    for (Places left = places; !left.empty(); ++references_)
      take_run(left, list, reference);
    one_cure_ = std::all_of(places.begin(), places.end(),
                            [&](std::uint32_t other) { return cure(list.view(other)) == cure(first_); });
  }

  void tell(const Write& write) const {
    const RuleText& rule = text_of(first_.rule);
    const bool one = references_ == 1;
    write(fmt::format("{}: {}: {}\n  {}\n", to_string(first_.severity), rule.name,
                      one ? named(first_) : count(references_, "reference"), rule.explanation));
    Places left = places_;
    for (std::size_t i = 0; i < references_ && i < most_references; ++i) {
      const Places here = take_run(left, list_, reference);
      if (!one)
        write("  " + named(list_.view(here.front())) + '\n');
      tell(here, write);
    }
    write(rest(references_, most_references));
    write(one_cure_ ? fmt::format("  cure: {}\n\n", plain(cure(first_))) : "\n");
  }

private:
  static std::string named(const View& finding) {
    return finding.reference.empty() ? "(empty)" : plain(finding.reference);
  }

  /// Those of one reference.
  void tell(Places findings, const Write& write) const {
    std::size_t places = 0;
    for (Places left = findings; !left.empty() && places < most_places;) {
      const Places same = take_run(left, list_, remark);
      for (const std::uint32_t one : same.first(std::min(same.size(), most_places - places)))
        write("    " + place(list_[one]) + '\n');
      places += same.size();
      tell_remark(list_[same.front()], write);
    }
    write(rest(findings.size(), most_places));
  }

  void tell_remark(const Finding& one, const Write& write) const {
    if (!one.resolved.empty())
      write(fmt::format("      {}: {}\n", resolution(one), plain(one.resolved)));
    if (!one.explanation.empty())
      write("      " + plain(one.explanation) + '\n');
    if (!one_cure_)
      write(fmt::format("      cure: {}\n", plain(one.cure.empty() ? text_of(one.rule).cure : one.cure)));
  }

  const FindingList& list_;
  Places places_;
  View first_;
  std::size_t references_ = 0;
  bool one_cure_ = false;
};

void tell_unseen(const UnseenList& unseen, const Write& write) {
  if (unseen.empty())
    return;
  write("not looked at:\n");
  for (std::size_t i = 0; i < unseen.size() && i < most_places; ++i) {
    const Unseen one = unseen[i];
    write(fmt::format("    {}{}: {}\n", shown(one.where),
                      one.where.section.empty() ? "" : ", " + plain(one.where.section), plain(one.reason)));
  }
  write(rest(unseen.count(), most_places) + '\n');
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

std::string left_out_text(const Findings& findings) {
  std::string text, by_rule;
  for (const Severity severity : {Severity::error, Severity::warning, Severity::note})
    for (const RuleText& rule : rules())
      if (const std::uint64_t number = findings.found.left_out(rule.rule, severity); number > 0)
        by_rule +=
            fmt::format("{}{} {}: {}", by_rule.empty() ? "" : ", ", to_string(severity), rule.name, number);
  if (!by_rule.empty())
    text = count(findings.found.left_out(), "finding") + " (" + by_rule + ')';
  if (findings.unseen.left_out() > 0)
    text += (text.empty() ? "" : " and ") + count(findings.unseen.left_out(), "file") + " not looked at";
  return text.empty() ? text : text + "; a larger --memory lists more";
}

void report_text(const Findings& findings, bool notes, const Write& write) {
  const FindingList& list = findings.found;
  const std::vector<std::uint32_t> all = in_order(list, notes);
  const auto kind = [](const View& one) { return std::tuple(one.severity, one.rule); };
  for (Places left = all; !left.empty();)
    Group(list, take_run(left, list, kind)).tell(write);
  tell_unseen(findings.unseen, write);
  write(device_code_text(findings.device_code));
  if (!findings.is_whole())
    write("not listed anywhere, for want of memory: " + left_out_text(findings) + '\n');
  const std::uint64_t only_notes = list.count(Severity::note);
  write(fmt::format(
      "{}: {}, {}, {}{}{}\n", count(findings.files, "file"), count(list.count(Severity::error), "error"),
      count(list.count(Severity::warning), "warning"), count(only_notes, "note"),
      only_notes > 0 && !notes ? " (--notes shows them)" : "",
      findings.unseen.empty() ? "" : fmt::format(", {} not looked at", findings.unseen.count())));
}

std::string rules_text() {
  std::string text;
  for (const RuleText& rule : rules())
    text += fmt::format("{} ({})\n  {}\n  cure: {}\n\n", rule.name, to_string(rule.severity),
                        rule.explanation, rule.cure);
  return text;
}

} // namespace hostpin
