// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/finding.hpp"
#include "hooks/leak-check/finding/pool.hpp"
#include "toolchains/fatbin/holding.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace hostpin {

/// Goes through a list that makes its values when they are asked for.
template <typename List, typename Value>
class ListIterator {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  using pointer = const Value*;
  using reference = Value;

  ListIterator(const List& list, std::size_t at) : list_(&list), at_(at) {}

  Value operator*() const { return (*list_)[at_]; }
  ListIterator& operator++() {
    ++at_;
    return *this;
  }
  ListIterator operator++(int) { return std::exchange(*this, ListIterator(*list_, at_ + 1)); }
  bool operator==(const ListIterator& other) const { return at_ == other.at_; }

private:
  const List* list_;
  std::size_t at_;
};

/// A Location as a list keeps it.
struct KeptPlace {
  StringPool::Id tree = 0, path = 0, member = 0, section = 0;
  std::uint64_t offset = 0;
  bool has_offset = false;

  bool operator==(const KeptPlace&) const = default;
};

/// Findings in little memory: what several have in common is kept once. When there is no room for more, they
/// are counted and not kept, notes first: the last quarter is for errors alone, the one before it for errors
/// and warnings, so that no crowd of small things hides a great one.
class FindingList {
public:
  static constexpr std::size_t usual_bytes = std::size_t{12} << 20U;

  /// What it may take beside decoders that may keep `memory` bytes; 0: as many as they do by themselves.
  static std::size_t bytes_beside(std::uint64_t memory);

  /// `most_bytes`: memory that it may take, up to 2 GB.
  FindingList() : FindingList(usual_bytes) {}
  explicit FindingList(std::size_t most_bytes);
  FindingList(std::initializer_list<Finding> findings);

  /// From now on it may take that much.
  void allow(std::size_t most_bytes);
  void push_back(const Finding& finding);
  /// Counts what another list had no room for.
  void leave_out(Rule rule, Severity severity, std::uint64_t count);

  /// Those that are kept.
  std::size_t size() const { return records_.size(); }
  bool empty() const { return records_.empty(); }
  Finding operator[](std::size_t at) const;
  ListIterator<FindingList, Finding> begin() const { return {*this, 0}; }
  ListIterator<FindingList, Finding> end() const { return {*this, size()}; }

  /// What is told of one beside its place, without a copy; valid as long as the list.
  struct View {
    Rule rule;
    Severity severity;
    std::string_view section, reference, resolved, explanation, cure;
  };
  View view(std::size_t at) const;
  /// The path that a finding is reported under.
  std::string whole_path_of(std::size_t at) const;
  bool is_in_member(std::size_t at) const { return records_[at].where.member != StringPool::empty; }

  /// The gravest first, then by place, each once.
  void sort();

  /// How many there are, whether they are kept or not.
  std::uint64_t count(Rule rule, Severity severity) const;
  std::uint64_t count(Severity severity) const;
  std::uint64_t count() const;
  /// Of them those that are not kept.
  std::uint64_t left_out(Rule rule, Severity severity) const;
  std::uint64_t left_out() const { return count() - size(); }

private:
  struct Record {
    KeptPlace where;
    StringPool::Id reference = 0, resolved = 0, explanation = 0, cure = 0;
    Rule rule = Rule::forbidden_runpath;
    Severity severity = Severity::error;

    bool operator==(const Record&) const = default;
  };
  bool has_room(Severity severity) const;
  bool is_before(const Record& a, const Record& b) const;

  static constexpr std::size_t most_rules = 32;

  std::size_t most_bytes_ = usual_bytes;
  StringPool pool_;
  std::deque<Record> records_;
  using Counts = std::array<std::array<std::uint64_t, 3>, most_rules>; // by rule and severity
  Counts kept_{}, left_out_{};
};

/// The same of what could not be looked at.
class UnseenList {
public:
  static constexpr std::size_t usual_bytes = std::size_t{2} << 20U;

  UnseenList() : UnseenList(usual_bytes) {}
  explicit UnseenList(std::size_t most_bytes);
  UnseenList(std::initializer_list<Unseen> unseen);

  void push_back(const Unseen& unseen);
  /// Counts what another list had no room for.
  void leave_out(std::uint64_t count);

  std::size_t size() const { return records_.size(); }
  Unseen operator[](std::size_t at) const;
  ListIterator<UnseenList, Unseen> begin() const { return {*this, 0}; }
  ListIterator<UnseenList, Unseen> end() const { return {*this, size()}; }

  /// By place.
  void sort();

  /// Whether everything was looked at.
  bool empty() const { return count_ == 0; }
  std::uint64_t count() const { return count_; }
  std::uint64_t left_out() const { return count_ - size(); }

private:
  struct Record {
    KeptPlace where;
    StringPool::Id reason = 0;
  };

  std::size_t most_bytes_;
  StringPool pool_;
  std::deque<Record> records_;
  std::uint64_t count_ = 0;
};

/// What a scan yields. Sorted, so that the same tree gives the same report however it was split among
/// threads.
struct Findings {
  FindingList found;
  UnseenList unseen;
  std::uint64_t files = 0;  ///< looked at
  std::uint64_t bytes = 0;  ///< of their content, as stored
  Holding device_code = {}; ///< in their fatbins; empty where those were not opened

  void sort();
  /// The gravest, kept or not; nothing when nothing was found.
  std::optional<Severity> gravest() const;
  /// Whether all that is counted is kept.
  bool is_whole() const { return found.left_out() == 0 && unseen.left_out() == 0; }
};

} // namespace hostpin
