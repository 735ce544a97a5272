// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/command/report.hpp"

#include "hooks/lto-check/judge/text.hpp"
#include "toolchains/base/error_code.hpp"
#include "toolchains/base/text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace hostpin::lto {

namespace {

Weight weight(const Judgement& judgement) {
  if (judgement.verdict == LtoVerdict::unreadable)
    return Weight::unread;
  if (judgement.refused)
    return Weight::refused;
  return judgement.verdict == LtoVerdict::risky ? Weight::warned : Weight::none;
}

/// `libx.a(a.o)`; nested ones `libx.a(inner.a)(a.o)`.
std::string place_of(const Judgement& judgement) {
  std::string text = with_escaped_controls(judgement.path);
  for (const std::string& member : judgement.member)
    text += '(' + with_escaped_controls(member) + ')';
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

/// Judgements that share a reason and a fix.
using Group = std::vector<const Judgement*>;

/// The groups of one weight, in the order of each group's first one.
std::vector<Group> grouped(const std::vector<Judgement>& judgements, Weight wanted) {
  std::vector<Group> groups;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> numbers; ///< by reason and fix
  for (const Judgement& judgement : judgements) {
    if (weight(judgement) != wanted)
      continue;
    const auto number = numbers.try_emplace({judgement.reason, judgement.fix}, groups.size()).first->second;
    groups.resize(numbers.size());
    groups[number].push_back(&judgement);
  }
  return groups;
}

/// One input, or an archive's members by one producer.
struct Line {
  const Judgement* first;
  std::string place, producer;
  std::size_t more = 0;
};

/// Warnings combine members of one archive and producer in a line: there can be thousands.
std::vector<Line> lines_of(const Group& group, Weight weight, const StreamReleases& releases) {
  std::vector<Line> lines;
  for (const Judgement* const one : group) {
    std::string producer = producer_of(*one, releases);
    if (weight == Weight::warned && !lines.empty() && !one->member.empty() &&
        lines.back().first->path == one->path && lines.back().producer == producer)
      ++lines.back().more;
    else
      lines.push_back({one, place_of(*one), std::move(producer)});
  }
  for (Line& line : lines)
    if (line.more > 0)
      line.place +=
          " and " + std::to_string(line.more) + (line.more == 1 ? " other member" : " other members");
  return lines;
}

void write_group(const Group& group, Weight weight, const StreamReleases& releases, const Write& write,
                 const Terminal& terminal) {
  constexpr std::size_t most_warned = 10;
  const std::vector<Line> lines = lines_of(group, weight, releases);
  const std::size_t shown = weight == Weight::warned ? std::min(lines.size(), most_warned) : lines.size();
  // A long path does not move the others.
  const std::size_t widest = std::min<std::size_t>(60, terminal.width() / 2);
  std::size_t width = 0;
  for (std::size_t i = 0; i < shown; ++i)
    width = std::max(width, std::min(lines[i].place.size(), widest));
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [first, place, producer, more] = lines[i];
    write(columns({{{producer.empty() ? place : padded(place, width), Tone::plain, true}, {producer}}},
                  terminal));
  }
  if (shown < lines.size())
    write("  and " + std::to_string(lines.size() - shown) + " more files, which --json lists\n");
  std::string text = group.front()->reason;
  if (const std::string& expected = group.front()->expected; !expected.empty())
    text += " (expected: " + expected + ')';
  write(paragraph(text, terminal, 4, 4));
  if (const std::string& fix = group.front()->fix; !fix.empty())
    write(paragraph("hint: " + fix, terminal, 4, 6));
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

using Json = nlohmann::ordered_json;

Json json_of(const LinkCheck& check) {
  Json json{{"path", check.program}, {"family", nullptr}, {"version", nullptr}, {"reads", Json::object()}};
  if (!check.linker)
    return json;
  const Linker& linker = *check.linker;
  json["family"] = to_string(linker.family);
  json["version"] = to_string(linker.version);
  if (linker.gcc)
    json["reads"]["gcc_lto"] = std::to_string(linker.gcc->major) + '.' + std::to_string(linker.gcc->minor);
  if (linker.llvm)
    json["reads"]["llvm"] = std::to_string(linker.llvm->major);
  return json;
}

Json version_of(const Bitstream& stream) {
  if (!stream.major)
    return nullptr;
  const bool llvm = stream.format == LtoFormat::llvm_bitcode || stream.format == LtoFormat::llvm_fat;
  return std::to_string(*stream.major) + (llvm ? "" : '.' + std::to_string(stream.minor));
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json json_of(const Judgement& judgement, const std::string& linker) {
  Json json{{"path", judgement.path}, {"member", judgement.member}};
  json["format"] = judgement.stream ? to_string(judgement.stream->format) : "none";
  json["version"] = judgement.stream ? version_of(*judgement.stream) : Json();
  json["producer"] = judgement.stream ? text_or_null(judgement.stream->producer) : Json();
  json["slim"] = judgement.stream && judgement.stream->slim;
  json["verdict"] = to_string(judgement.verdict);
  json["refused"] = judgement.refused;
  json["expected"] = text_or_null(judgement.expected);
  json["reason"] = text_or_null(judgement.reason);
  json["cure"] = text_or_null(judgement.fix);
  json["linker"] = linker;
  return json;
}

// File names are any bytes.
std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

} // namespace

void write_report(std::span<const LinkCheck> checks, Weight weight, const StreamReleases& releases,
                  const Write& write, std::string head, const Terminal& terminal) {
  const auto heading = std::ranges::find(headings, weight, &Heading::weight);
  for (const LinkCheck& check : checks) {
    const std::vector<Group> groups = grouped(check.judgements, weight);
    if (groups.empty())
      continue;
    std::size_t count = 0;
    for (const Group& group : groups)
      count += group.size();
    const ErrorKind kind = weight == Weight::refused && !head.empty() ? ErrorKind::lto : ErrorKind::other;
    const std::string line = std::exchange(head, {}) + std::to_string(count) + ' ' +
                             (count == 1 ? heading->one : heading->many) + ' ' +
                             (check.linker ? described(*check.linker) : check.program) + ':';
    write(with_code(paragraph(line, terminal, 0, 2),
                    kind)); // after wrapping: programs read it on the first line
    for (const Group& group : groups)
      write_group(group, weight, releases, write, terminal);
  }
}

std::string fitting_report(std::span<const LinkCheck> checks) {
  std::string text;
  for (const LinkCheck& check : checks) {
    const auto count = std::ranges::count(check.judgements, LtoVerdict::ok, &Judgement::verdict);
    text += std::to_string(count) + (count == 1 ? " LTO input fits " : " LTO inputs fit ") +
            (check.linker ? described(*check.linker) : check.program) + '\n';
  }
  return text;
}

bool all_fits(const LinkCheck& check) {
  return std::ranges::all_of(check.judgements, [](const Judgement& judgement) {
    return judgement.verdict == LtoVerdict::ok || judgement.verdict == LtoVerdict::none;
  });
}

int exit_code(std::span<const LinkCheck> checks) {
  Weight worst = Weight::none;
  for (const LinkCheck& check : checks)
    for (const Judgement& judgement : check.judgements)
      worst = std::max(worst, weight(judgement));
  return worst == Weight::refused ? 1 : worst == Weight::unread ? 2 : 0;
}

void write_json(std::span<const LinkCheck> checks, const Write& write) {
  Json json{{"schema", 1},
            {"linker", nullptr},
            {"device_linker", nullptr},
            {"missing", Json::array()},
            {"inputs", Json::array()}};
  std::set<std::string_view> missing;
  for (const LinkCheck& check : checks) {
    json[check.linker && check.linker->family == LinkerFamily::nvlink ? "device_linker" : "linker"] =
        json_of(check);
    for (const std::string& name : check.missing)
      if (missing.insert(name).second)
        json["missing"].push_back(name);
  }
  if (json["linker"].is_null())
    std::swap(json["linker"], json["device_linker"]);
  // The inputs come last, and one by one: a JSON value for each would take more memory than all of them.
  constexpr std::string_view end = "]\n}";
  std::string_view separator = "\n";
  const std::string head = text_of(json);
  write(std::string_view(head).substr(0, head.size() - end.size()));
  for (const LinkCheck& check : checks)
    for (const Judgement& judgement : check.judgements) {
      write(separator);
      write(indented(text_of(json_of(judgement, check.program)), 4));
      separator = ",\n";
    }
  write(separator == "\n" ? "" : "\n  ");
  write(end);
  write("\n");
}

} // namespace hostpin::lto
