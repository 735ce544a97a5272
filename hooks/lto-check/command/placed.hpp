// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/judge/judgement.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hostpin {

/// Names of members of archives, one behind the other.
class MemberNames {
public:
  /// Where `member` stands from now on; 0 for no name at all.
  std::size_t add(const std::vector<std::string>& member);
  std::vector<std::string> at(std::size_t place) const;

private:
  std::vector<std::string> blocks_; ///< so that nothing is copied when there are many
};

/// Whether two of them say the same but for their places. What cannot be read is like nothing else.
bool is_alike(const LtoInput& one, const LtoInput& other);
bool is_alike(const Judgement& one, const Judgement& other);
/// The same number for those that are alike.
std::size_t likeness(const LtoInput& input);
std::size_t likeness(const Judgement& judgement);

/// A list of inputs, or of judgements on them, in which hundreds of thousands of members of one archive cost
/// a few bytes more than their names: what many of them have in common is kept once.
template <typename T>
class Placed {
public:
  Placed() = default;
  Placed(std::vector<T> all) { // NOLINT(google-explicit-constructor): the same list
    for (T& one : all)
      push_back(std::move(one));
  }

  void push_back(T one) { entries_.push_back(entry(std::move(one))); }
  void replace(std::size_t i, T one) { entries_[i] = entry(std::move(one)); }
  void reserve(std::size_t size) { entries_.reserve(size); }

  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

  T at(std::size_t i) const {
    T one = content(i);
    one.path = path(i);
    one.member = member(i);
    one.offset = entries_[i].offset;
    return one;
  }
  /// All of it but its place: path, member, offset.
  const T& content(std::size_t i) const { return contents_[entries_[i].content]; }
  /// Equal for those that share it; below `contents()`.
  std::size_t content_number(std::size_t i) const { return entries_[i].content; }
  std::size_t contents() const { return contents_.size(); }
  const std::string& path(std::size_t i) const { return paths_[entries_[i].path]; }
  bool is_member(std::size_t i) const { return entries_[i].name != 0; }
  std::vector<std::string> member(std::size_t i) const { return names_.at(entries_[i].name); }

  /// Takes out those of whose number `is_out` is true; asks in order, each once.
  template <typename IsOut>
  void erase_if(const IsOut& is_out) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (!is_out(i))
        entries_[kept++] = entries_[i];
    entries_.resize(kept);
  }

private:
  struct Entry {
    std::uint32_t path = 0, content = 0;
    std::size_t name = 0;
    std::uint64_t offset = 0;
  };

  Entry entry(T&& one) {
    Entry made{path_number(one.path), 0, names_.add(one.member), std::exchange(one.offset, 0)};
    made.content = content_number(std::move(one));
    return made;
  }

  std::uint32_t path_number(const std::string& path) {
    if (paths_.empty() || paths_.back() != path) // those of one file stand together
      paths_.push_back(path);
    return static_cast<std::uint32_t>(paths_.size() - 1);
  }

  std::uint32_t content_number(T&& one) {
    one.path.clear();
    one.member.clear();
    if (!contents_.empty()) { // of most files there is one
      if (is_alike(contents_.back(), one))
        return static_cast<std::uint32_t>(contents_.size() - 1);
      if (contents_.size() == 1)
        known_.emplace(likeness(contents_.front()), 0);
      const auto [found, fresh] =
          known_.try_emplace(likeness(one), static_cast<std::uint32_t>(contents_.size()));
      if (!fresh && is_alike(contents_[found->second], one))
        return found->second;
    }
    contents_.push_back(std::move(one));
    return static_cast<std::uint32_t>(contents_.size() - 1);
  }

  std::vector<std::string> paths_;
  std::vector<T> contents_;
  std::unordered_map<std::size_t, std::uint32_t> known_; ///< contents by likeness
  std::vector<Entry> entries_;
  MemberNames names_;
};

} // namespace hostpin
