// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/report/exact.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

ReportJson text_or_null(std::string_view text) {
  return text.empty() ? ReportJson() : ReportJson(text);
}

bool is_utf8(std::string_view text) {
  if (std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80U; }))
    return true;
  try {
    ReportJson(text).dump();
    return true;
  } catch (const ReportJson::type_error&) {
    return false;
  }
}

/// Each byte as the character of its number.
std::string widened(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80U)
      text += static_cast<char>(0xC0U | (byte >> 6U));
    text += byte < 0x80U ? c : static_cast<char>(0x80U | (byte & 0x3FU));
  }
  return text;
}

/// Of texts that are no UTF-8, which a report replaces: the bytes themselves.
class Raw {
public:
  void add(const char* key, std::string_view text, bool wanted) {
    if (wanted)
      json_[key] = widened(text);
  }
  void add(const char* key, std::string_view text) { add(key, text, !is_utf8(text)); }

  void add(const Location& where) {
    const bool wanted = !is_utf8(where.tree) || !is_utf8(where.path);
    add("tree", where.tree, wanted);
    add("path", where.path, wanted);
    add("section", where.section);
    bool plain = true;
    for (const std::string& member : where.member)
      plain = plain && is_utf8(member);
    if (plain)
      return;
    ReportJson& members = json_["member"] = ReportJson::array();
    for (const std::string& member : where.member)
      members.push_back(widened(member));
  }

  ReportJson take() { return std::move(json_); }

private:
  ReportJson json_; // null until there is one
};

} // namespace

ReportJson json_of(const Finding& finding, bool exact) {
  const RuleText& rule = text_of(finding.rule);
  ReportJson json{{"rule", rule.name}, {"severity", to_string(finding.severity)}};
  json["path"] = whole_path(finding.where);
  json["member"] = finding.where.member;
  json["section"] = text_or_null(finding.where.section);
  json["offset"] = finding.where.offset ? ReportJson(*finding.where.offset) : ReportJson();
  json["reference"] = text_or_null(finding.reference);
  json["resolved"] = text_or_null(finding.resolved);
  json["explanation"] = finding.explanation.empty()
                            ? std::string(rule.explanation)
                            : std::string(rule.explanation) + ' ' + finding.explanation;
  json["cure"] = finding.cure.empty() ? rule.cure : std::string_view(finding.cure);
  json["fingerprint"] = fingerprint(finding);
  if (!exact)
    return json;
  json["tree"] = text_or_null(finding.where.tree);
  Raw raw;
  raw.add(finding.where);
  raw.add("reference", finding.reference);
  raw.add("resolved", finding.resolved);
  raw.add("explanation", finding.explanation);
  raw.add("cure", finding.cure);
  json["raw"] = raw.take();
  return json;
}

ReportJson json_of(const Unseen& unseen, bool exact) {
  ReportJson json{{"path", whole_path(unseen.where)},
                  {"member", unseen.where.member},
                  {"section", text_or_null(unseen.where.section)},
                  {"reason", unseen.reason}};
  if (!exact)
    return json;
  json["tree"] = text_or_null(unseen.where.tree);
  Raw raw;
  raw.add(unseen.where);
  raw.add("reason", unseen.reason);
  json["raw"] = raw.take();
  return json;
}

ReportJson json_of(const HeldCode& held, const HeldAmount& amount, bool exact) {
  const std::string name = to_string(held.capability);
  const bool is_known = held.capability.major != 0;
  ReportJson json{{"capability", is_known ? ReportJson(name) : ReportJson()},
                  {"code", word_of(held.code)},
                  {"use", word_of(held.use)},
                  {"entries", amount.entries},
                  {"bytes", amount.bytes}};
  if (exact)
    json["raw"] = is_known ? ReportJson() : ReportJson{{"capability", name}};
  return json;
}

} // namespace hostpin
