// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/report/exact.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace hostpin {

namespace {

const ReportJson* member_of(const ReportJson& json, const char* key) {
  if (!json.is_object())
    return nullptr;
  const auto found = json.find(key);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

tl::unexpected<Error> wrong(const char* key, const char* what) {
  return failure(std::string("its ") + key + " is " + what);
}

/// The bytes that were widened; nothing where a character is no byte.
std::optional<std::string> narrowed(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80U) {
      bytes += text[i];
      continue;
    }
    if ((lead & 0xFEU) != 0xC2U || i + 1 == text.size())
      return std::nullopt;
    bytes += static_cast<char>(((lead & 0x03U) << 6U) | (static_cast<unsigned char>(text[++i]) & 0x3FU));
  }
  return bytes;
}

/// Reads the members of one object; the first that is wrong is told.
class Reader {
public:
  explicit Reader(const ReportJson& json) : json_(json), raw_(member_of(json, "raw")) {}

  /// Empty where there is none.
  std::string text(const char* key) {
    if (const ReportJson* const raw = raw_ == nullptr ? nullptr : member_of(*raw_, key))
      return bytes(*raw, key);
    const ReportJson* const value = member_of(json_, key);
    if (value == nullptr)
      return {};
    if (!value->is_string())
      complain(key, "no text");
    return value->is_string() ? value->get<std::string>() : std::string();
  }
  bool is_raw(const char* key) const { return raw_ != nullptr && member_of(*raw_, key) != nullptr; }

  std::vector<std::string> texts(const char* key) {
    const bool raw = is_raw(key);
    const ReportJson* const all = member_of(raw ? *raw_ : json_, key);
    std::vector<std::string> result;
    if (all == nullptr || !all->is_array()) {
      complain(key, "no list");
      return result;
    }
    for (const ReportJson& one : *all) {
      if (!one.is_string())
        complain(key, "no list of texts");
      else
        result.push_back(raw ? bytes(one, key) : one.get<std::string>());
    }
    return result;
  }

  Location where() {
    Location where;
    where.tree = text("tree");
    where.path = text("path");
    where.member = texts("member");
    where.section = text("section");
    if (const ReportJson* const offset = member_of(json_, "offset")) {
      if (offset->is_number_unsigned())
        where.offset = offset->get<std::uint64_t>();
      else
        complain("offset", "no number");
    }
    if (where.tree.empty() || is_raw("path"))
      return where;
    const std::string before = whole_path({{}, {}, {}, std::nullopt, where.tree});
    if (where.path.starts_with(before))
      where.path.erase(0, before.size());
    else
      complain("path", "not below its tree");
    return where;
  }

  void complain(const char* key, const char* what) {
    if (!wrong_)
      wrong_ = wrong(key, what).value();
  }
  const std::optional<Error>& complaint() const { return wrong_; }

private:
  std::string bytes(const ReportJson& json, const char* key) {
    auto text = json.is_string() ? narrowed(json.get_ref<const std::string&>()) : std::nullopt;
    if (!text)
      complain(key, "no bytes where it is raw");
    return std::move(text).value_or(std::string());
  }

  const ReportJson& json_;
  const ReportJson* raw_;
  std::optional<Error> wrong_;
};

/// Of an explanation that begins with its rule's, the rest.
void take_rule_away(Finding& finding, Reader& reader) {
  const std::string_view rule = text_of(finding.rule).explanation;
  std::string& text = finding.explanation;
  if (reader.is_raw("explanation"))
    return;
  if (text.starts_with(rule) && (text.size() == rule.size() || text[rule.size()] == ' '))
    text.erase(0, rule.size() + 1);
  else
    reader.complain("explanation", "not that of its rule");
}

/// `9.0a`, and whatever else a damaged file can hold.
std::optional<Capability> capability_of(std::string_view text) {
  using Variant = Capability::Variant;
  Capability capability;
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, capability.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.')
    return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, capability.minor);
  for (const Variant variant :
       {Variant::baseline, Variant::architecture_specific, Variant::family_specific}) {
    capability.variant = variant;
    if (minor.ec == std::errc() && to_string(capability) == text)
      return capability;
  }
  return std::nullopt;
}

template <typename Value, std::size_t count>
Result<Value> word_in(const ReportJson& json, const char* key, const std::array<Value, count>& all) {
  const auto word = text_in(json, key);
  for (const Value value : all)
    if (word && *word == word_of(value))
      return value;
  return wrong(key, "none that is known");
}

} // namespace

Result<std::string> text_in(const ReportJson& json, const char* key) {
  const ReportJson* const value = member_of(json, key);
  return value != nullptr && value->is_string() ? Result<std::string>(value->get<std::string>())
                                                : wrong(key, "no text");
}

Result<std::uint64_t> number_in(const ReportJson& json, const char* key) {
  const ReportJson* const value = member_of(json, key);
  const auto number =
      value != nullptr && value->is_number_unsigned() ? value->get<std::uint64_t>() : ~std::uint64_t{0};
  return number <= most_in_json ? Result<std::uint64_t>(number) : wrong(key, "no number");
}

Result<std::uint64_t> digest_in(const ReportJson& json, const char* key) {
  const std::string text = text_in(json, key).value_or("");
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (text.size() != 16 || failed != std::errc() || end != text.data() + text.size())
    return wrong(key, "no digest");
  return number;
}

Result<Rule> rule_in(const ReportJson& json) {
  const auto rule = rule_named(text_in(json, "rule").value_or(""));
  return rule ? Result<Rule>(*rule) : wrong("rule", "none that is known");
}

Result<Severity> severity_in(const ReportJson& json) {
  const std::string word = text_in(json, "severity").value_or("");
  for (const Severity severity : {Severity::error, Severity::warning, Severity::note})
    if (word == to_string(severity))
      return severity;
  return wrong("severity", "none that is known");
}

Result<Finding> finding_of(const ReportJson& json) {
  const auto rule = rule_in(json);
  if (!rule)
    return tl::unexpected(rule.error());
  const auto severity = severity_in(json);
  if (!severity)
    return tl::unexpected(severity.error());
  Reader reader(json);
  Finding finding;
  finding.rule = *rule;
  finding.severity = *severity;
  finding.where = reader.where();
  finding.reference = reader.text("reference");
  finding.resolved = reader.text("resolved");
  finding.explanation = reader.text("explanation");
  take_rule_away(finding, reader);
  finding.cure = reader.text("cure");
  if (!reader.is_raw("cure") && finding.cure == text_of(*rule).cure)
    finding.cure.clear();
  if (reader.complaint())
    return tl::unexpected(*reader.complaint());
  if (text_in(json, "fingerprint").value_or("") != fingerprint(finding))
    return wrong("fingerprint", "another one than that of what it says");
  return finding;
}

Result<Unseen> unseen_of(const ReportJson& json) {
  Reader reader(json);
  Unseen unseen{reader.where(), reader.text("reason")};
  if (reader.complaint())
    return tl::unexpected(*reader.complaint());
  return unseen;
}

Result<std::pair<HeldCode, HeldAmount>> held_of(const ReportJson& json) {
  Reader reader(json);
  const auto capability = capability_of(reader.text("capability"));
  if (reader.complaint() || !capability)
    return wrong("capability", "none");
  const auto code = word_in(
      json, "code", std::array{DeviceCode::ptx, DeviceCode::cubin, DeviceCode::ltoir, DeviceCode::other});
  if (!code)
    return tl::unexpected(code.error());
  const auto use = word_in(json, "use", std::array{CodeUse::run, CodeUse::link, CodeUse::none});
  if (!use)
    return tl::unexpected(use.error());
  HeldAmount amount;
  for (const auto& [key, into] : {std::pair("entries", &amount.entries), std::pair("bytes", &amount.bytes)}) {
    const auto number = number_in(json, key);
    if (!number)
      return tl::unexpected(number.error());
    *into = *number;
  }
  return std::pair(HeldCode{*capability, *code, *use}, amount);
}

} // namespace hostpin
