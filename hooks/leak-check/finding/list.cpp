// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/finding/list.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

namespace hostpin {

namespace {

constexpr std::size_t ids_name = std::size_t{2} << 30U; // bytes of a pool

using Length = std::uint32_t; // stands before each name of a list of members

/// All members as one string, so that equal lists are one.
std::string joined(const std::vector<std::string>& members) {
  std::string text;
  for (const std::string& member : members) {
    const auto length = static_cast<Length>(member.size());
    text.append(reinterpret_cast<const char*>(&length), sizeof length).append(member);
  }
  return text;
}

/// The first of them, which is taken away.
std::string_view take_member(std::string_view& text) {
  Length length = 0;
  std::memcpy(&length, text.data(), sizeof length);
  const std::string_view member = text.substr(sizeof length, length);
  text.remove_prefix(sizeof length + length);
  return member;
}

KeptPlace kept(const Location& where, StringPool& pool) {
  return {pool.add(where.tree),    pool.add(where.path),     pool.add(joined(where.member)),
          pool.add(where.section), where.offset.value_or(0), where.offset.has_value()};
}

Location told(const KeptPlace& where, const StringPool& pool) {
  Location location{std::string(pool.at(where.path)),
                    {},
                    std::string(pool.at(where.section)),
                    where.has_offset ? std::optional(where.offset) : std::nullopt,
                    std::string(pool.at(where.tree))};
  for (std::string_view members = pool.at(where.member); !members.empty();)
    location.member.emplace_back(take_member(members));
  return location;
}

/// As std::string's comparison: below, at, or above 0.
int compared(StringPool::Id a, StringPool::Id b, const StringPool& pool) {
  return a == b ? 0 : pool.at(a).compare(pool.at(b));
}

int compared_members(StringPool::Id a, StringPool::Id b, const StringPool& pool) {
  if (a == b)
    return 0;
  std::string_view left = pool.at(a), right = pool.at(b);
  while (!left.empty() && !right.empty())
    if (const int order = take_member(left).compare(take_member(right)); order != 0)
      return order;
  return left.empty() ? (right.empty() ? 0 : -1) : 1;
}

/// By tree, path and members.
int compared_files(const KeptPlace& a, const KeptPlace& b, const StringPool& pool) {
  if (const int order = compared(a.tree, b.tree, pool); order != 0)
    return order;
  const int order = compared(a.path, b.path, pool);
  return order != 0 ? order : compared_members(a.member, b.member, pool);
}

} // namespace

std::size_t FindingList::bytes_beside(std::uint64_t memory) {
  return memory > 0 ? static_cast<std::size_t>(memory / 8 * 3) : usual_bytes;
}

FindingList::FindingList(std::size_t most_bytes) {
  allow(most_bytes);
}

void FindingList::allow(std::size_t most_bytes) {
  most_bytes_ = std::min(most_bytes, ids_name);
}

FindingList::FindingList(std::initializer_list<Finding> findings) : FindingList() {
  for (const Finding& finding : findings)
    push_back(finding);
}

bool FindingList::has_room(Severity severity) const {
  const std::size_t quarters = 2 + static_cast<std::size_t>(severity);
  return pool_.bytes() + records_.size() * sizeof(Record) < most_bytes_ / 4 * quarters;
}

void FindingList::push_back(const Finding& finding) {
  const bool is_kept = has_room(finding.severity);
  ++(is_kept ? kept_
             : left_out_)[static_cast<std::size_t>(finding.rule)][static_cast<std::size_t>(finding.severity)];
  if (is_kept)
    records_.push_back({kept(finding.where, pool_), pool_.add(finding.reference), pool_.add(finding.resolved),
                        pool_.add(finding.explanation), pool_.add(finding.cure), finding.rule,
                        finding.severity});
}

void FindingList::leave_out(Rule rule, Severity severity, std::uint64_t count) {
  std::uint64_t& left_out = left_out_[static_cast<std::size_t>(rule)][static_cast<std::size_t>(severity)];
  left_out = sum(left_out, count);
}

Finding FindingList::operator[](std::size_t at) const {
  const Record& record = records_[at];
  return {record.rule,
          record.severity,
          told(record.where, pool_),
          std::string(pool_.at(record.reference)),
          std::string(pool_.at(record.resolved)),
          std::string(pool_.at(record.explanation)),
          std::string(pool_.at(record.cure))};
}

FindingList::View FindingList::view(std::size_t at) const {
  const Record& record = records_[at];
  return {record.rule,
          record.severity,
          pool_.at(record.where.section),
          pool_.at(record.reference),
          pool_.at(record.resolved),
          pool_.at(record.explanation),
          pool_.at(record.cure)};
}

std::string FindingList::whole_path_of(std::size_t at) const {
  return whole_path(told(records_[at].where, pool_));
}

bool FindingList::is_before(const Record& a, const Record& b) const {
  if (a.severity != b.severity)
    return a.severity > b.severity;
  if (const int order = compared_files(a.where, b.where, pool_); order != 0)
    return order < 0;
  if (const int order = compared(a.where.section, b.where.section, pool_); order != 0)
    return order < 0;
  const auto numbers = [](const Record& one) {
    return std::tie(one.where.has_offset, one.where.offset, one.rule);
  };
  if (numbers(a) != numbers(b))
    return numbers(a) < numbers(b);
  for (const auto text : {&Record::reference, &Record::resolved, &Record::explanation})
    if (const int order = compared(a.*text, b.*text, pool_); order != 0)
      return order < 0;
  return compared(a.cure, b.cure, pool_) < 0;
}

void FindingList::sort() {
  std::sort(records_.begin(), records_.end(),
            [this](const Record& a, const Record& b) { return is_before(a, b); });
  const auto again = std::unique(records_.begin(), records_.end(), [this](const Record& a, const Record& b) {
    if (!(a == b))
      return false;
    --kept_[static_cast<std::size_t>(b.rule)][static_cast<std::size_t>(b.severity)];
    return true;
  });
  records_.erase(again, records_.end());
}

std::uint64_t FindingList::count(Rule rule, Severity severity) const {
  return kept_[static_cast<std::size_t>(rule)][static_cast<std::size_t>(severity)] + left_out(rule, severity);
}

std::uint64_t FindingList::left_out(Rule rule, Severity severity) const {
  return left_out_[static_cast<std::size_t>(rule)][static_cast<std::size_t>(severity)];
}

std::uint64_t FindingList::count(Severity severity) const {
  std::uint64_t all = 0;
  for (const RuleText& one : rules())
    all += count(one.rule, severity);
  return all;
}

std::uint64_t FindingList::count() const {
  return count(Severity::note) + count(Severity::warning) + count(Severity::error);
}

UnseenList::UnseenList(std::size_t most_bytes) : most_bytes_(std::min(most_bytes, ids_name)) {}

UnseenList::UnseenList(std::initializer_list<Unseen> unseen) : UnseenList() {
  for (const Unseen& one : unseen)
    push_back(one);
}

void UnseenList::push_back(const Unseen& unseen) {
  ++count_;
  if (pool_.bytes() + records_.size() * sizeof(Record) < most_bytes_)
    records_.push_back({kept(unseen.where, pool_), pool_.add(unseen.reason)});
}

void UnseenList::leave_out(std::uint64_t count) {
  count_ = sum(count_, count);
}

Unseen UnseenList::operator[](std::size_t at) const {
  const Record& record = records_[at];
  return {told(record.where, pool_), std::string(pool_.at(record.reason))};
}

void UnseenList::sort() {
  std::sort(records_.begin(), records_.end(), [this](const Record& a, const Record& b) {
    if (const int order = compared_files(a.where, b.where, pool_); order != 0)
      return order < 0;
    if (const int order = compared(a.where.section, b.where.section, pool_); order != 0)
      return order < 0;
    return compared(a.reason, b.reason, pool_) < 0;
  });
}

void Findings::sort() {
  found.sort();
  unseen.sort();
}

std::optional<Severity> Findings::gravest() const {
  for (const Severity severity : {Severity::error, Severity::warning, Severity::note})
    if (found.count(severity) > 0)
      return severity;
  return std::nullopt;
}

} // namespace hostpin
