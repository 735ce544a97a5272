// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/unicode.hpp"
#include "toolchains/redist/audit/audit.hpp"

#include <array>
#include <map>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

namespace hostpin::redist {

namespace {

using Json = nlohmann::ordered_json;

constexpr auto verdicts =
    std::to_array<Verdict>({Verdict::changed, Verdict::unproven, Verdict::linked, Verdict::unchanged,
                            Verdict::open_source, Verdict::other, Verdict::not_judged});

std::string listing_text(const std::string& part, const AuditFacts& facts) {
  const PartListing found = listing(part, facts);
  return escaped(part) + ": redistribution: " + std::string(found.state) +
         (found.agreement.empty() ? "" : " in " + found.agreement);
}

bool is_nvidia(Verdict verdict) {
  return verdict == Verdict::changed || verdict == Verdict::unproven || verdict == Verdict::unchanged;
}

/// The parts of NVIDIA's that a file is or has.
std::vector<std::string> parts_of(const AuditedFile& file) {
  std::vector<std::string> parts = file.linked;
  if (is_nvidia(file.verdict) && !file.part.empty())
    parts.insert(parts.begin(), file.part);
  return parts;
}

std::string file_text(const AuditedFile& file, const AuditFacts& facts) {
  std::string text = escaped(file.path) + ": " + std::string(to_string(file.verdict));
  if (!file.original.empty())
    text += ": " + escaped(file.original) + (file.proof.empty() ? "" : " (" + escaped(file.proof) + ')');
  text += '\n';
  for (const std::string& part : file.linked)
    text += "  has " + escaped(part) + '\n';
  for (const std::string& detail : file.details)
    text += "  " + escaped(detail) + '\n';
  for (const std::string& part : parts_of(file))
    text += "  " + listing_text(part, facts) + '\n';
  return text;
}

/// Unchanged files, by what they are from.
std::string unchanged_text(const Audit& audit) {
  std::map<std::pair<std::string, std::string>, std::size_t> owners;
  for (const AuditedFile& file : audit.files)
    if (file.verdict == Verdict::unchanged)
      ++owners[{file.original.substr(0, file.original.find(": ")), file.proof}];
  std::string text;
  for (const auto& [owner, count] : owners)
    text += "unchanged: " + std::to_string(count) + (count == 1 ? " file of " : " files of ") +
            escaped(owner.first) + " (" + escaped(owner.second) + ")\n";
  return text;
}

Json file_json(const AuditedFile& file, const AuditFacts& facts) {
  Json row{{"path", file.path}, {"verdict", to_string(file.verdict)}, {"size", file.size}};
  const auto text = [&](const char* key, const std::string& value) {
    if (!value.empty())
      row[key] = value;
  };
  text("sha256", file.sha256);
  if (is_nvidia(file.verdict))
    text("part", file.part);
  text("original", file.original);
  text("proof", file.proof);
  for (const std::string& part : parts_of(file)) {
    const PartListing found = listing(part, facts);
    row["parts"].push_back({{"name", part},
                            {"redistribution", found.state},
                            {"agreement", found.agreement.empty() ? Json() : Json(found.agreement)}});
  }
  if (!file.details.empty())
    row["details"] = file.details;
  if (file.failed)
    row["failed"] = true;
  return row;
}

std::optional<Rule> rule_of(Verdict verdict) {
  switch (verdict) {
  case Verdict::changed:
    return Rule::changed_part;
  case Verdict::unproven:
    return Rule::unproven_part;
  case Verdict::linked:
    return Rule::linked_part;
  case Verdict::not_judged:
    return Rule::unjudged_file;
  default:
    return std::nullopt;
  }
}

} // namespace

std::vector<Finding> audit_findings(const Audit& audit) {
  std::vector<Finding> findings;
  for (const AuditedFile& file : audit.files) {
    const auto rule = rule_of(file.verdict);
    if (!rule)
      continue;
    std::string text = file.original;
    for (const std::string& part : file.linked)
      text += (text.empty() ? "" : "; ") + ("has " + part);
    for (const std::string& detail : file.details)
      text += (text.empty() ? "" : "; ") + detail;
    findings.push_back(finding(*rule, file.path, {}, file.path, std::move(text)));
    if (file.failed)
      findings.back().severity = Severity::error;
  }
  sort(findings);
  return findings;
}

std::string audit_text(const Audit& audit, const AuditFacts& facts, bool all) {
  std::string text;
  for (const Verdict verdict : verdicts)
    for (const AuditedFile& file : audit.files)
      if (file.verdict == verdict && (all || rule_of(verdict)))
        text += file_text(file, facts);
  if (!all)
    text += unchanged_text(audit);
  std::string counts =
      std::to_string(audit.files.size()) + (audit.files.size() == 1 ? " file: " : " files: ");
  for (const Verdict verdict : verdicts)
    counts += std::to_string(audit.count(verdict)) + ' ' + std::string(to_string(verdict)) +
              (verdict == verdicts.back() ? "" : ", ");
  if (audit.links != 0)
    counts += "; " + std::to_string(audit.links) +
              (audit.links == 1 ? " symbolic link to one of them" : " symbolic links to these");
  return text + counts + '\n';
}

std::string audit_json(const Audit& audit, const AuditFacts& facts) {
  Json json{{"schema", 1}, {"complete", !audit.is_incomplete()}, {"links", audit.links}};
  Json& counts = json["counts"];
  for (const Verdict verdict : verdicts)
    counts[std::string(to_string(verdict))] = audit.count(verdict);
  Json& files = json["files"] = Json::array();
  for (const AuditedFile& file : audit.files)
    files.push_back(file_json(file, facts));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace hostpin::redist
