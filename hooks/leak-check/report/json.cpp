// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/report/json_stream.hpp"
#include "hooks/leak-check/report/report.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace hostpin {

namespace {

using Json = JsonStream::Value;

Json text_or_null(std::string_view text) {
  return text.empty() ? Json() : Json(text);
}

Json json_of(const Finding& finding) {
  const RuleText& rule = text_of(finding.rule);
  Json json{{"rule", rule.name}, {"severity", to_string(finding.severity)}};
  json["path"] = whole_path(finding.where);
  json["member"] = finding.where.member;
  json["section"] = text_or_null(finding.where.section);
  json["offset"] = finding.where.offset ? Json(*finding.where.offset) : Json();
  json["reference"] = text_or_null(finding.reference);
  json["resolved"] = text_or_null(finding.resolved);
  json["explanation"] = finding.explanation.empty()
                            ? std::string(rule.explanation)
                            : std::string(rule.explanation) + ' ' + finding.explanation;
  json["cure"] = finding.cure.empty() ? rule.cure : std::string_view(finding.cure);
  json["fingerprint"] = fingerprint(finding);
  return json;
}

Json json_of(const Unseen& unseen) {
  return {{"path", whole_path(unseen.where)},
          {"member", unseen.where.member},
          {"section", text_or_null(unseen.where.section)},
          {"reason", unseen.reason}};
}

Json json_of(const HeldCode& held, const HeldAmount& amount) {
  return {{"capability", held.capability.major == 0 ? Json() : Json(to_string(held.capability))},
          {"code", word_of(held.code)},
          {"use", word_of(held.use)},
          {"entries", amount.entries},
          {"bytes", amount.bytes}};
}

} // namespace

void report_json(const Findings& findings, const Write& write) {
  JsonStream stream(write);
  stream.open('{');
  stream.member("schema", 1);
  stream.member("files", findings.files);
  stream.member("bytes", findings.bytes);
  stream.open('[', "findings");
  for (auto one = findings.found.begin(); one != findings.found.end() && stream.is_well(); ++one)
    stream.element(json_of(*one));
  stream.close(']');
  stream.open('[', "unseen");
  for (auto one = findings.unseen.begin(); one != findings.unseen.end() && stream.is_well(); ++one)
    stream.element(json_of(*one));
  stream.close(']');
  stream.open('[', "capabilities");
  for (const auto& [held, amount] : findings.device_code.codes)
    stream.element(json_of(held, amount));
  stream.close(']');
  stream.open('[', "left_out");
  for (const RuleText& rule : rules())
    for (const Severity severity : {Severity::error, Severity::warning, Severity::note})
      if (const std::uint64_t count = findings.found.left_out(rule.rule, severity); count > 0)
        stream.element({{"rule", rule.name}, {"severity", to_string(severity)}, {"count", count}});
  stream.close(']');
  stream.member("unseen_left_out", findings.unseen.left_out());
  stream.close('}');
}

} // namespace hostpin
