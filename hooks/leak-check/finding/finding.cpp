// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/finding/finding.hpp"

#include "hooks/leak-check/needles/needles.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <utility>

namespace hostpin {

namespace {

constexpr std::string_view digits = "0123456789abcdef";

/// FNV-1a: stable between releases and machines, which std::hash is not.
class Fingerprint {
public:
  void add(std::string_view text) {
    for (const char c : text)
      mix(static_cast<unsigned char>(c));
    mix(0x100); // an end that no byte is
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

void append_escaped(std::string& text, std::string_view name) {
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      text += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      text += "\\x";
      text += digits[byte >> 4U];
      text += digits[byte & 15U];
    } else {
      text += c;
    }
  }
}

auto order(const Finding& finding) {
  return std::tie(finding.where.tree, finding.where.path, finding.where.member, finding.where.section,
                  finding.where.offset, finding.rule, finding.reference, finding.resolved,
                  finding.explanation);
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

void Findings::merge(Findings&& more) {
  std::move(more.found.begin(), more.found.end(), std::back_inserter(found));
  std::move(more.unseen.begin(), more.unseen.end(), std::back_inserter(unseen));
  files += more.files;
  bytes += more.bytes;
}

void Findings::sort() {
  std::sort(found.begin(), found.end(), [](const Finding& a, const Finding& b) {
    return a.severity != b.severity ? a.severity > b.severity : order(a) < order(b);
  });
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::sort(unseen.begin(), unseen.end(), [](const Unseen& a, const Unseen& b) {
    return std::tie(a.where.tree, a.where.path, a.where.member, a.reason) <
           std::tie(b.where.tree, b.where.path, b.where.member, b.reason);
  });
}

std::optional<Severity> Findings::gravest() const {
  const auto found_it = std::max_element(
      found.begin(), found.end(), [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
  return found_it == found.end() ? std::nullopt : std::optional(found_it->severity);
}

} // namespace hostpin
