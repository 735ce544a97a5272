// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/report/exact.hpp"
#include "hooks/leak-check/report/json_stream.hpp"
#include "hooks/leak-check/report/shard.hpp"
#include "toolchains/base/checksum.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace hostpin {

namespace {

ReportJson digest(std::uint64_t number) {
  const auto digits = hexadecimal(number);
  return std::string(digits.data(), digits.size());
}

ReportJson json_of(const ShardStamp& stamp) {
  ReportJson json{{"index", stamp.number.index},
                  {"of", stamp.number.of},
                  {"version", stamp.version},
                  {"options", stamp.options},
                  {"memory", std::min(stamp.memory, most_in_json)},
                  {"judged_by", digest(stamp.judged_by)},
                  {"paths", digest(stamp.paths)},
                  {"tree", digest(stamp.tree)},
                  {"surroundings", digest(stamp.surroundings)},
                  {"entries", stamp.entries},
                  {"exceptions", stamp.exceptions},
                  {"used", ReportJson::array()}};
  for (const ShardStamp::Used& one : stamp.used)
    json["used"].push_back({{"line", one.line}, {"times", one.times}});
  return json;
}

/// `stamp`: of a report that is to be read again, else nullptr.
void report(const Findings& findings, const ShardStamp* stamp, const Write& write) {
  const bool exact = stamp != nullptr;
  JsonStream stream(write);
  stream.open('{');
  stream.member("schema", 1);
  if (exact)
    stream.member("shard", json_of(*stamp));
  stream.member("files", findings.files);
  stream.member("bytes", findings.bytes);
  stream.open('[', "findings");
  for (auto one = findings.found.begin(); one != findings.found.end() && stream.is_well(); ++one)
    stream.element(json_of(*one, exact));
  stream.close(']');
  stream.open('[', "unseen");
  for (auto one = findings.unseen.begin(); one != findings.unseen.end() && stream.is_well(); ++one)
    stream.element(json_of(*one, exact));
  stream.close(']');
  stream.open('[', "capabilities");
  for (const auto& [held, amount] : findings.device_code.codes)
    stream.element(json_of(held, amount, exact));
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

} // namespace

void report_json(const Findings& findings, const Write& write) {
  report(findings, nullptr, write);
}

void report_shard(const Findings& findings, const ShardStamp& stamp, const Write& write) {
  report(findings, &stamp, write);
}

} // namespace hostpin
