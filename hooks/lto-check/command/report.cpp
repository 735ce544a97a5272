// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/command/report.hpp"

#include "hooks/lto-check/judge/words.hpp"

#include <algorithm>
#include <array>

namespace hostpin {

namespace {

enum class Weight { none, warned, unread, refused };

Weight weight(const Judgement& judgement) {
  if (judgement.verdict == LtoVerdict::unreadable)
    return Weight::unread;
  if (judgement.refused)
    return Weight::refused;
  return judgement.verdict == LtoVerdict::risky ? Weight::warned : Weight::none;
}

/// A name on one line that says nothing to a terminal.
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
std::string place_of(const Judgement& judgement) {
  std::string text = harmless(judgement.path);
  for (const std::string& member : judgement.member)
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

/// Judgements that one sentence and one cure hold for.
struct Group {
  const Judgement* first;
  std::vector<const Judgement*> all;
};

std::vector<Group> groups_of(const LinkCheck& check, Weight wanted) {
  std::vector<Group> groups;
  for (const Judgement& judgement : check.judgements) {
    if (weight(judgement) != wanted)
      continue;
    const auto same = std::ranges::find_if(groups, [&](const Group& group) {
      return group.first->reason == judgement.reason && group.first->cure == judgement.cure;
    });
    if (same == groups.end())
      groups.push_back({&judgement, {&judgement}});
    else
      same->all.push_back(&judgement);
  }
  return groups;
}

std::size_t size_of(const std::vector<Group>& groups) {
  std::size_t count = 0;
  for (const Group& group : groups)
    count += group.all.size();
  return count;
}

/// One input, or an archive's members by one producer.
struct Line {
  const Judgement* first;
  std::string place, producer;
  std::size_t more = 0;
};

/// What stops nothing is not worth a line for each member of an archive, of which there can be thousands.
std::vector<Line> lines_of(const Group& group, Weight weight, const StreamReleases& releases) {
  std::vector<Line> lines;
  for (const Judgement* judgement : group.all) {
    Line line{judgement, place_of(*judgement), producer_of(*judgement, releases)};
    if (weight == Weight::warned && !lines.empty() && !judgement->member.empty() &&
        lines.back().first->path == judgement->path && lines.back().producer == line.producer)
      ++lines.back().more;
    else
      lines.push_back(std::move(line));
  }
  for (Line& line : lines)
    if (line.more > 0)
      line.place +=
          " and " + std::to_string(line.more) + (line.more == 1 ? " other member" : " other members");
  return lines;
}

void add_group(std::string& text, const Group& group, Weight weight, const StreamReleases& releases) {
  constexpr std::size_t widest = 60; // one long path must not push all others away
  constexpr std::size_t most_warned = 10;
  std::vector<Line> lines = lines_of(group, weight, releases);
  const std::size_t shown = weight == Weight::warned ? std::min(lines.size(), most_warned) : lines.size();
  const std::size_t left = lines.size() - shown;
  lines.resize(shown);
  std::size_t width = 0;
  for (const Line& line : lines)
    width = std::max(width, std::min(line.place.size(), widest));
  for (const Line& line : lines)
    text +=
        "  " + (line.producer.empty() ? line.place : padded(line.place, width) + "  " + line.producer) + '\n';
  if (left > 0)
    text += "  and " + std::to_string(left) + " more files, which --json lists\n";
  text += "    " + group.first->reason;
  if (!group.first->expected.empty())
    text += " (expected: " + group.first->expected + ')';
  text += '\n';
  if (!group.first->cure.empty())
    text += "    hint: " + group.first->cure + '\n';
}

struct Heading {
  Weight weight;
  const char* one;
  const char* many;
};
constexpr auto headings =
    std::to_array<Heading>({{Weight::refused, "LTO input does not fit", "LTO inputs do not fit"},
                            {Weight::warned, "LTO input may not fit", "LTO inputs may not fit"},
                            {Weight::unread, "input could not be read for", "inputs could not be read for"}});

std::string message(std::span<const LinkCheck> checks, const StreamReleases& releases,
                    const Heading& heading) {
  std::string text;
  for (const LinkCheck& check : checks) {
    const std::vector<Group> groups = groups_of(check, heading.weight);
    if (groups.empty())
      continue;
    const std::size_t count = size_of(groups);
    text += std::to_string(count) + ' ' + (count == 1 ? heading.one : heading.many) + ' ' +
            (check.linker ? described(*check.linker) : check.program) + ":\n";
    for (const Group& group : groups)
      add_group(text, group, heading.weight, releases);
  }
  return text;
}

} // namespace

CheckReport report_of(std::span<const LinkCheck> checks, const StreamReleases& releases) {
  CheckReport report{message(checks, releases, headings[0]),
                     message(checks, releases, headings[1]),
                     message(checks, releases, headings[2]),
                     {}};
  for (const LinkCheck& check : checks) {
    const auto fits = [](const Judgement& judgement) { return judgement.verdict == LtoVerdict::ok; };
    const auto count = std::ranges::count_if(check.judgements, fits);
    report.fitting += std::to_string(count) + (count == 1 ? " LTO input fits " : " LTO inputs fit ") +
                      (check.linker ? described(*check.linker) : check.program) + '\n';
  }
  return report;
}

int exit_code(std::span<const LinkCheck> checks) {
  Weight worst = Weight::none;
  for (const LinkCheck& check : checks)
    for (const Judgement& judgement : check.judgements)
      worst = std::max(worst, weight(judgement));
  return worst == Weight::refused ? 1 : worst == Weight::unread ? 2 : 0;
}

} // namespace hostpin
