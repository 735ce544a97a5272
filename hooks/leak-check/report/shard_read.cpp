// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/report/exact.hpp"
#include "hooks/leak-check/report/pieces.hpp"
#include "hooks/leak-check/report/shard.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

namespace hostpin {

namespace {

Result<ShardStamp::Used> used_of(const ReportJson& json) {
  const auto line = number_in(json, "line");
  const auto times = number_in(json, "times");
  if (!line || !times || *line > 0xFFFFFFFFU)
    return failure("its exceptions are none");
  return ShardStamp::Used{static_cast<unsigned>(*line), *times};
}

Result<ShardNumber> number_of(const ReportJson& json) {
  const auto index = number_in(json, "index");
  const auto of = number_in(json, "of");
  if (!index || !of || *of > ShardNumber::most || *index == 0 || *index > *of)
    return failure("its index is none");
  return ShardNumber{static_cast<std::uint32_t>(*index), static_cast<std::uint32_t>(*of)};
}

Result<ShardStamp> stamp_of(const ReportJson& json) {
  ShardStamp stamp;
  const auto part = number_of(json);
  if (!part)
    return tl::unexpected(part.error());
  stamp.number = *part;
  for (const auto& [key, into] :
       {std::pair("version", &stamp.version), std::pair("exceptions", &stamp.exceptions)}) {
    auto text = text_in(json, key);
    if (!text)
      return tl::unexpected(text.error());
    *into = *std::move(text);
  }
  for (const auto& [key, into] :
       {std::pair("judged_by", &stamp.judged_by), std::pair("paths", &stamp.paths),
        std::pair("tree", &stamp.tree), std::pair("surroundings", &stamp.surroundings)}) {
    const auto digest = digest_in(json, key);
    if (!digest)
      return tl::unexpected(digest.error());
    *into = *digest;
  }
  for (const auto& [key, into] : {std::pair("memory", &stamp.memory), std::pair("entries", &stamp.entries)}) {
    const auto number = number_in(json, key);
    if (!number)
      return tl::unexpected(number.error());
    *into = *number;
  }
  if (!json.contains("options") || !json["options"].is_array() || !json.contains("used") ||
      !json["used"].is_array())
    return failure("it says nothing of its options");
  for (const ReportJson& word : json["options"]) {
    if (!word.is_string())
      return failure("its options are no words");
    stamp.options.push_back(word.get<std::string>());
  }
  for (const ReportJson& one : json["used"]) {
    const auto used = used_of(one);
    if (!used)
      return tl::unexpected(used.error());
    stamp.used.push_back(*used);
  }
  return stamp;
}

constexpr const char* give_shards = "name reports that hostpin leak-check --shard has written";

constexpr std::array<std::string_view, 9> all_keys = {
    "schema", "shard", "files", "bytes", "findings", "unseen", "capabilities", "left_out", "unseen_left_out"};

/// Takes the parts of one report, each as soon as it is there.
class ShardReader {
public:
  ShardReader(const std::string& name, const std::string& version, Findings& into,
              const std::function<Result<void>(const ShardStamp&)>& take)
      : name_(name), version_(version), into_(into), take_(take) {}

  Result<void> operator()(std::string_view key, const ReportJson& value, bool is_element) {
    const bool is_known = std::find(all_keys.begin(), all_keys.end(), key) != all_keys.end();
    if (!is_element && is_known && !keys_.insert(std::string(key)).second)
      return failure("it is there twice");
    if (key == "schema")
      return value == 1 ? Result<void>() : failure("it is not of schema 1, the one that is known here");
    if (key == "shard")
      return stamp(value);
    if (key == "files" || key == "bytes" || key == "unseen_left_out")
      return number(key, value);
    if (!is_element) // the end of a list, or a key to come
      return value.is_array() || !is_known ? Result<void>() : failure("it is no list");
    if (key != "left_out")
      if (auto exact = has_all(value, key == "capabilities"); !exact)
        return exact;
    if (key == "findings")
      return finding_of(value).map([&](const Finding& one) { into_.found.push_back(one); });
    if (key == "unseen")
      return unseen_of(value).map([&](const Unseen& one) { into_.unseen.push_back(one); });
    if (key == "capabilities")
      return held_of(value).map([&](const auto& held) {
        Holding holding;
        holding.codes.insert(held);
        into_.device_code.add(holding);
      });
    return key == "left_out" ? left_out(value) : Result<void>();
  }

  /// Whether nothing was missing.
  Result<void> finish() const {
    if (keys_.contains("findings") && !keys_.contains("shard"))
      return whole_scan();
    for (const std::string_view key : all_keys)
      if (!keys_.contains(std::string(key)))
        return failure(name_ + ": it has no " + std::string(key), give_shards);
    return {};
  }
  /// Whether it was refused in words that say it all.
  bool is_refused() const { return refused_; }

private:
  tl::unexpected<Error> whole_scan() const {
    return failure(name_ + ": it is the report of a whole scan, and not of a shard", give_shards);
  }

  /// Whether it has what a shard's report has alone.
  Result<void> has_all(const ReportJson& value, bool counted) {
    if (value.is_object() && value.contains("raw") && (counted || value.contains("tree")))
      return {};
    if (keys_.contains("shard"))
      return failure("it does not have what a shard tells of it");
    refused_ = true;
    return whole_scan();
  }

  Result<void> stamp(const ReportJson& value) {
    // of another release the rest may be another, too
    if (const auto version = text_in(value, "version"); version && *version != version_) {
      refused_ = true;
      return failure(name_ + " was written by hostpin " + *version + ", and this is " + version_,
                     "unite reports with the hostpin that wrote them");
    }
    const auto stamp = stamp_of(value);
    if (!stamp)
      return tl::unexpected(stamp.error());
    auto taken = take_(*stamp);
    refused_ = !taken;
    return taken;
  }

  Result<void> number(std::string_view key, const ReportJson& value) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most_in_json)
      return failure("it is no number");
    const auto number = value.get<std::uint64_t>();
    if (key == "files")
      into_.files += number;
    else if (key == "bytes")
      into_.bytes += number;
    else
      into_.unseen.leave_out(number);
    return {};
  }

  Result<void> left_out(const ReportJson& value) {
    const auto rule = rule_in(value);
    const auto severity = severity_in(value);
    const auto count = number_in(value, "count");
    if (!rule || !severity || !count)
      return failure("it counts nothing that is known");
    into_.found.leave_out(*rule, *severity, *count);
    return {};
  }

  const std::string &name_, &version_;
  Findings& into_;
  const std::function<Result<void>(const ShardStamp&)>& take_;
  std::set<std::string> keys_;
  bool refused_ = false;
};

} // namespace

Result<void> read_shard(const ReadReport& read, const std::string& name, const std::string& version,
                        Findings& into, const std::function<Result<void>(const ShardStamp&)>& take) {
  constexpr const char* next = "scan that shard again, or copy its report again";
  ShardReader reader(name, version, into, take);
  if (auto whole = read_pieces(read, std::ref(reader)); !whole)
    return reader.is_refused() ? whole : failure(name + whole.error().message, next);
  return reader.finish();
}

} // namespace hostpin
