// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/finding/finding.hpp"

#include "hooks/leak-check/needles/needles.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace hostpin {

namespace {

constexpr std::string_view digits = "0123456789abcdef";

/// FNV-1a: stable between releases and machines, which std::hash is not.
class Fingerprint {
public:
  void add(std::string_view text) {
    for (const char c : text)
      mix(static_cast<unsigned char>(c));
    mix(0x100); // a terminator that no byte equals
  }

  std::string text() const {
    std::string result;
    for (unsigned shift = 64; shift > 0; shift -= 4)
      result += digits[(value_ >> (shift - 4)) & 15U];
    return result;
  }

private:
  void mix(unsigned value) { value_ = (value_ ^ value) * 0x100000001B3U; }

  std::uint64_t value_ = 0xCBF29CE484222325U;
};

bool is_between(std::string_view text, std::size_t at, unsigned char low, unsigned char high) {
  return at < text.size() && static_cast<unsigned char>(text[at]) >= low &&
         static_cast<unsigned char>(text[at]) <= high;
}

/// First bytes of well-formed UTF-8 (Unicode, table 3-7), the range of the second byte, and the length. The
/// row of C2 begins after the controls U+0080 to U+009F, which terminals interpret like ESC.
struct Lead {
  unsigned char first, last, low, high;
  std::size_t length;
};
constexpr std::array leads = {
    Lead{0xC2, 0xC2, 0xA0, 0xBF, 2}, Lead{0xC3, 0xDF, 0x80, 0xBF, 2}, Lead{0xE0, 0xE0, 0xA0, 0xBF, 3},
    Lead{0xE1, 0xEC, 0x80, 0xBF, 3}, Lead{0xED, 0xED, 0x80, 0x9F, 3}, Lead{0xEE, 0xEF, 0x80, 0xBF, 3},
    Lead{0xF0, 0xF0, 0x90, 0xBF, 4}, Lead{0xF1, 0xF3, 0x80, 0xBF, 4}, Lead{0xF4, 0xF4, 0x80, 0x8F, 4},
};

/// Invisible characters, which may change how the text around them is shown: marks and controls of direction,
/// line separators, invisible operators, annotations, tags (Unicode, general categories Cf, Zl, Zp).
struct Range {
  std::uint32_t first, last;
};
constexpr std::array unseeable = {
    Range{0xAD, 0xAD},     Range{0x61C, 0x61C},   Range{0x180E, 0x180E},
    Range{0x200B, 0x200F}, Range{0x2028, 0x202E}, Range{0x2060, 0x206F},
    Range{0xFEFF, 0xFEFF}, Range{0xFFF9, 0xFFFB}, Range{0xE0000, 0xE007F},
};

/// `bytes`: one well-formed character.
bool is_unseeable(std::string_view bytes) {
  std::uint32_t number = static_cast<unsigned char>(bytes[0]) & (0xFFU >> (bytes.size() + 1));
  for (std::size_t i = 1; i < bytes.size(); ++i)
    number = (number << 6U) | (static_cast<unsigned char>(bytes[i]) & 0x3FU);
  return std::any_of(unseeable.begin(), unseeable.end(),
                     [&](const Range& range) { return range.first <= number && number <= range.last; });
}

/// Length of the first character; 0 if it must not be sent to a terminal.
std::size_t showable(std::string_view text) {
  if (is_between(text, 0, 0x20, 0x7E))
    return 1;
  const auto* const lead = std::find_if(
      leads.begin(), leads.end(), [&](const Lead& one) { return is_between(text, 0, one.first, one.last); });
  if (lead == leads.end() || !is_between(text, 1, lead->low, lead->high))
    return 0;
  for (std::size_t i = 2; i < lead->length; ++i)
    if (!is_between(text, i, 0x80, 0xBF))
      return 0;
  return is_unseeable(text.substr(0, lead->length)) ? 0 : lead->length;
}

void append_escaped(std::string& text, std::string_view name) {
  while (!name.empty()) {
    const std::size_t length = showable(name);
    if (length > 0) {
      text += name.substr(0, length);
    } else if (name.front() == '\n') {
      text += "\\n";
    } else {
      const auto byte = static_cast<unsigned char>(name.front());
      text += "\\x";
      text += digits[byte >> 4U];
      text += digits[byte & 15U];
    }
    name.remove_prefix(std::max<std::size_t>(length, 1));
  }
}

} // namespace

std::string whole_path(const Location& location) {
  const bool joined = location.tree.empty() || location.tree.ends_with('/');
  return location.tree + (joined ? "" : "/") + location.path;
}

std::string shown(const Location& location) {
  std::string text;
  append_escaped(text, whole_path(location));
  for (const std::string& member : location.member) {
    text += '(';
    append_escaped(text, member);
    text += ')';
  }
  return text;
}

std::string fingerprint(const Finding& finding) {
  Fingerprint print;
  print.add(text_of(finding.rule).name);
  print.add(finding.where.path);
  for (const std::string& member : finding.where.member)
    print.add(member);
  print.add(finding.where.section);
  print.add(finding.reference);
  if (const std::string_view tree = finding.where.tree; !tree.empty()) {
    const std::string_view hash = store_hash(tree);
    const std::size_t at = hash.empty() ? 0 : static_cast<std::size_t>(hash.data() - tree.data());
    print.add(tree.substr(0, at));
    print.add(tree.substr(at + hash.size()));
  }
  return print.text();
}

std::string_view resolution(const Finding& finding) {
  if (finding.rule == Rule::missing_library)
    return "is at"; // the loader would not find it
  const bool is_path = finding.rule == Rule::forbidden_runpath || finding.rule == Rule::forbidden_reference ||
                       finding.rule == Rule::build_directory;
  return is_path && finding.where.section != ".interp" ? "leads to" : "would be loaded";
}

void Findings::sort() {
  const auto key = [](const Finding& one) {
    const Location& where = one.where;
    return std::tie(where.tree, where.path, where.member, where.section, where.offset, one.rule,
                    one.reference, one.resolved, one.explanation, one.cure);
  };
  std::sort(found.begin(), found.end(), [&](const Finding& a, const Finding& b) {
    return a.severity != b.severity ? a.severity > b.severity : key(a) < key(b);
  });
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::sort(unseen.begin(), unseen.end(), [](const Unseen& a, const Unseen& b) {
    return std::tie(a.where.tree, a.where.path, a.where.member, a.where.section, a.reason) <
           std::tie(b.where.tree, b.where.path, b.where.member, b.where.section, b.reason);
  });
}

std::size_t Findings::count(Severity severity) const {
  return static_cast<std::size_t>(std::count_if(
      found.begin(), found.end(), [&](const Finding& one) { return one.severity == severity; }));
}

std::optional<Severity> Findings::most_severe() const {
  const auto most = std::max_element(
      found.begin(), found.end(), [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
  return most == found.end() ? std::nullopt : std::optional(most->severity);
}

} // namespace hostpin
