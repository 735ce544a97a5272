// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/command/report.hpp"

#include "hooks/lto-check/judge/words.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace hostpin {

namespace {

Weight weight(const Judgement& judgement) {
  if (judgement.verdict == LtoVerdict::unreadable)
    return Weight::unread;
  if (judgement.refused)
    return Weight::refused;
  return judgement.verdict == LtoVerdict::risky ? Weight::warned : Weight::none;
}

/// A name on one line, safe for a terminal.
std::string harmless(std::string_view name) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F)
      text += c;
    else
      (text += "\\x").append({digits[byte >> 4U], digits[byte & 15U]});
  }
  return text;
}

/// `libx.a(a.o)`; nested ones `libx.a(inner.a)(a.o)`.
std::string place_of(const Placed<Judgement>& judgements, std::size_t i) {
  std::string text = harmless(judgements.path(i));
  for (const std::string& member : judgements.member(i))
    text += '(' + harmless(member) + ')';
  return text;
}

std::string producer_of(const Judgement& judgement, const StreamReleases& releases) {
  if (!judgement.stream)
    return {};
  const std::string version = stream_version(*judgement.stream);
  return producer_name(*judgement.stream, releases) + (version.empty() ? "" : " (" + version + ")");
}

/// What the linker is, and what it can read.
std::string described(const Linker& linker) {
  std::string text = linker_name(linker);
  if (linker.gcc)
    text += ", which calls " + gcc_name(*linker.gcc) + " (LTO " + std::to_string(linker.gcc->major) + '.' +
            std::to_string(linker.gcc->minor) + ")";
  if (linker.llvm && linker.family != LinkerFamily::lld)
    text += (linker.gcc ? " and LLVM " : ", which calls LLVM ") + std::to_string(linker.llvm->major);
  return text;
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

/// A judgement's number, after that of its group: those that share an explanation and a fix.
struct Grouped {
  std::uint32_t group, number;
};

/// Judgements of one weight, grouped, in the order of each group's first one.
std::vector<Grouped> grouped(const Placed<Judgement>& judgements, Weight wanted) {
  constexpr auto unknown = static_cast<std::uint32_t>(-1);
  std::vector<Grouped> all;
  std::map<std::pair<std::string_view, std::string_view>, std::uint32_t> groups; ///< by reason and fix
  std::vector<std::uint32_t> by_content(judgements.contents(), unknown);
  std::size_t count = 0; // there may be a million
  for (std::size_t i = 0; i < judgements.size(); ++i)
    count += weight(judgements.content(i)) == wanted ? 1 : 0;
  all.reserve(count);
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    const Judgement& judgement = judgements.content(i);
    if (weight(judgement) != wanted)
      continue;
    std::uint32_t& group = by_content[judgements.content_number(i)];
    if (group == unknown)
      group =
          groups.try_emplace({judgement.reason, judgement.cure}, static_cast<std::uint32_t>(groups.size()))
              .first->second;
    all.push_back({group, static_cast<std::uint32_t>(i)});
  }
  std::ranges::sort(all, {}, [](const Grouped& one) { return std::pair(one.group, one.number); });
  return all;
}

/// One input, or an archive's members by one producer.
struct Line {
  std::size_t first; ///< judgement
  std::string place, producer;
  std::size_t more = 0;
};

/// Prints one group of judgements.
class GroupReport {
public:
  GroupReport(const Placed<Judgement>& judgements, std::span<const Grouped> group, Weight weight,
              const StreamReleases& releases, const Terminal& terminal)
      : judgements_(judgements), group_(group), weight_(weight), releases_(releases), terminal_(terminal) {}

  void write(const Write& write) const {
    const std::size_t widest =
        std::min<std::size_t>(60, terminal_.width() / 2); // a long path does not move the others
    constexpr std::size_t most_warned = 10;
    std::size_t width = 0, count = 0;
    const auto is_shown = [&] { return weight_ != Weight::warned || count < most_warned; };
    // Two passes, because there may be too many lines to store.
    each_line([&](const Line& line) {
      if (is_shown())
        width = std::max(width, std::min(line.place.size(), widest));
      ++count;
    });
    count = 0;
    each_line([&](const Line& line) {
      if (is_shown())
        write(columns({{{line.producer.empty() ? line.place : padded(line.place, width), Tone::plain, true},
                        {line.producer}}},
                      terminal_));
      ++count;
    });
    if (!is_shown() && count > most_warned)
      write("  and " + std::to_string(count - most_warned) + " more files, which --json lists\n");
    const Judgement& first = judgements_.content(group_.front().number);
    std::string text = first.reason;
    if (!first.expected.empty())
      text += " (expected: " + first.expected + ')';
    write(paragraph(text, terminal_, 4, 4));
    if (!first.cure.empty())
      write(paragraph("hint: " + first.cure, terminal_, 4, 6));
  }

private:
  /// Warnings combine members of one archive and producer in a line: there can be thousands.
  template <typename Visit>
  void each_line(const Visit& visit) const {
    std::optional<Line> last;
    for (const Grouped& one : group_) {
      const std::size_t i = one.number;
      std::string producer = producer_of(judgements_.content(i), releases_);
      if (weight_ == Weight::warned && last && judgements_.is_member(i) &&
          judgements_.path(last->first) == judgements_.path(i) && last->producer == producer) {
        ++last->more;
        continue;
      }
      finish(last, visit);
      last = Line{i, place_of(judgements_, i), std::move(producer)};
    }
    finish(last, visit);
  }

  template <typename Visit>
  static void finish(std::optional<Line>& line, const Visit& visit) {
    if (!line)
      return;
    if (line->more > 0)
      line->place +=
          " and " + std::to_string(line->more) + (line->more == 1 ? " other member" : " other members");
    visit(*line);
  }

  const Placed<Judgement>& judgements_;
  std::span<const Grouped> group_;
  Weight weight_;
  const StreamReleases& releases_;
  const Terminal& terminal_;
};

struct Heading {
  Weight weight;
  const char* one;
  const char* many;
};
constexpr auto headings =
    std::to_array<Heading>({{Weight::refused, "LTO input does not fit", "LTO inputs do not fit"},
                            {Weight::warned, "LTO input may not fit", "LTO inputs may not fit"},
                            {Weight::unread, "input could not be read for", "inputs could not be read for"}});

} // namespace

void write_report(std::span<const LinkCheck> checks, Weight weight, const StreamReleases& releases,
                  const Write& write, std::string head, const Terminal& terminal) {
  const auto heading = std::ranges::find(headings, weight, &Heading::weight);
  for (const LinkCheck& check : checks) {
    const std::vector<Grouped> all = grouped(check.judgements, weight);
    if (all.empty())
      continue;
    write(paragraph(std::exchange(head, {}) + std::to_string(all.size()) + ' ' +
                        (all.size() == 1 ? heading->one : heading->many) + ' ' +
                        (check.linker ? described(*check.linker) : check.program) + ':',
                    terminal, 0, 2));
    for (auto begin = all.begin(), end = begin; begin != all.end(); begin = end) {
      end = std::find_if(begin, all.end(), [&](const Grouped& one) { return one.group != begin->group; });
      GroupReport(check.judgements, {begin, end}, weight, releases, terminal).write(write);
    }
  }
}

std::string fitting_report(std::span<const LinkCheck> checks) {
  std::string text;
  for (const LinkCheck& check : checks) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < check.judgements.size(); ++i)
      count += check.judgements.content(i).verdict == LtoVerdict::ok ? 1 : 0;
    text += std::to_string(count) + (count == 1 ? " LTO input fits " : " LTO inputs fit ") +
            (check.linker ? described(*check.linker) : check.program) + '\n';
  }
  return text;
}

bool all_fits(const LinkCheck& check) {
  for (std::size_t i = 0; i < check.judgements.size(); ++i)
    if (const LtoVerdict verdict = check.judgements.content(i).verdict;
        verdict != LtoVerdict::ok && verdict != LtoVerdict::none)
      return false;
  return true;
}

int exit_code(std::span<const LinkCheck> checks) {
  Weight worst = Weight::none;
  for (const LinkCheck& check : checks)
    for (std::size_t i = 0; i < check.judgements.size(); ++i)
      worst = std::max(worst, weight(check.judgements.content(i)));
  return worst == Weight::refused ? 1 : worst == Weight::unread ? 2 : 0;
}

} // namespace hostpin
