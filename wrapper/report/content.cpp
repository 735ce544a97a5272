// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/report/content.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hostpin::report {

namespace {

using Json = nlohmann::json;

const Json* member(const Json& json, const char* key) {
  if (!json.is_object())
    return nullptr;
  const auto found = json.find(key);
  return found == json.end() ? nullptr : &*found;
}

/// Empty if it is null, missing or of another type.
std::string text(const Json& json, const char* key) {
  const Json* const value = member(json, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

std::optional<std::uint64_t> number(const Json& json, const char* key) {
  const Json* const value = member(json, key);
  return value != nullptr && value->is_number_unsigned() ? std::optional(value->get<std::uint64_t>())
                                                         : std::nullopt;
}

bool flag(const Json& json, const char* key) {
  const Json* const value = member(json, key);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

/// `a.a(b.o)`, from the outermost inwards.
std::string members(const Json& json) {
  std::string all;
  if (const Json* const value = member(json, "member"); value != nullptr && value->is_array())
    for (const Json& one : *value)
      if (one.is_string())
        all += (all.empty() ? "" : " > ") + one.get<std::string>();
  return all;
}

std::string with_member(const Json& json) {
  const std::string inner = members(json);
  std::string path = text(json, "path");
  if (!inner.empty()) {
    path += '(';
    path += inner;
    path += ')';
  }
  return path;
}

tl::unexpected<Error> no_answer(const std::string& of, const char* program) {
  return failure(
      fmt::format("{} does not contain output of {} --json that this hostpin can read", of, program),
      fmt::format("write one with this hostpin: hostpin {} --json ...", program));
}

/// The parsed answer, if it has the right schema and its list.
std::optional<Json> answer(std::string_view json, const char* list) {
  Json all = Json::parse(json, nullptr, false);
  const Json* const items = member(all, list);
  if (all.is_discarded() || number(all, "schema") != 1 || items == nullptr || !items->is_array())
    return std::nullopt;
  return all;
}

/// Without the rule's own text, which begins the explanation.
std::string own_explanation(const Json& finding, const std::string& rule_text) {
  std::string all = text(finding, "explanation");
  if (!rule_text.empty() && all.starts_with(rule_text))
    all.erase(0, all.find_first_not_of(' ', rule_text.size()));
  return all;
}

ReportFinding finding(const Json& json, const std::string& rule_text) {
  return {text(json, "rule"),     text(json, "severity"),
          text(json, "path"),     members(json),
          text(json, "section"),  text(json, "reference"),
          text(json, "resolved"), own_explanation(json, rule_text),
          text(json, "cure"),     text(json, "fingerprint"),
          number(json, "offset")};
}

/// `ld.lld 19.1.7 (/usr/bin/ld.lld), reads LLVM 19`.
std::string linker_text(const Json& linker) {
  if (!linker.is_object())
    return {};
  std::string all =
      fmt::format("{} {} ({})", text(linker, "family"), text(linker, "version"), text(linker, "path"));
  if (const Json* const reads = member(linker, "reads"))
    for (const auto& [key, name] : {std::pair("gcc_lto", "LTO of GCC"), std::pair("llvm", "LLVM")})
      if (const std::string version = text(*reads, key); !version.empty())
        all += fmt::format(", reads {} {}", name, version);
  return all;
}

} // namespace

Result<ReportLeaks> leaks_answer(std::string_view json, const std::string& of) {
  const auto all = answer(json, "findings");
  if (!all)
    return no_answer(of, "leak-check");
  ReportLeaks leaks;
  leaks.files = number(*all, "files").value_or(0);
  leaks.bytes = number(*all, "bytes").value_or(0);
  for (const Json& one : (*all)["findings"]) {
    if (text(one, "rule").empty() || text(one, "severity").empty())
      return no_answer(of, "leak-check");
    std::string rule_text;
    if (const Json* const rules = member(*all, "rules"))
      rule_text = text(*rules, text(one, "rule").c_str());
    leaks.findings.push_back(finding(one, rule_text));
    if (!rule_text.empty()) // answers of an older leak-check have no texts, and must not hide those of others
      leaks.rules.emplace(text(one, "rule"), rule_text);
  }
  if (const Json* const unseen = member(*all, "unseen"); unseen != nullptr && unseen->is_array())
    for (const Json& one : *unseen)
      leaks.unseen.push_back({with_member(one), text(one, "reason")});
  return leaks;
}

Result<ReportLto> lto_answer(std::string_view json, const std::string& of) {
  const auto all = answer(json, "inputs");
  if (!all)
    return no_answer(of, "lto-check");
  ReportLto lto;
  for (const char* const key : {"linker", "device_linker"})
    if (const Json* const linker = member(*all, key); linker != nullptr && linker->is_object())
      lto.linker += (lto.linker.empty() ? "" : " and ") + linker_text(*linker);
  if (const Json* const missing = member(*all, "missing"); missing != nullptr && missing->is_array())
    for (const Json& one : *missing)
      if (one.is_string())
        lto.missing.push_back(one.get<std::string>());
  for (const Json& one : (*all)["inputs"])
    lto.inputs.push_back({with_member(one), text(one, "format"), text(one, "version"), text(one, "producer"),
                          text(one, "verdict"), text(one, "expected"), text(one, "reason"), text(one, "cure"),
                          flag(one, "refused")});
  return lto;
}

} // namespace hostpin::report
