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

/// The origins of inputs, stored consecutively: each takes a few bytes more than the names of its member.
/// Reading them in the order of the archive is fast.
class Places {
public:
  struct Place {
    std::uint32_t path = 0; ///< a number assigned by the owner
    std::uint64_t offset = 0;
    std::vector<std::string> member;
  };

  void add(std::uint32_t path, std::uint64_t offset, const std::vector<std::string>& member);
  std::size_t size() const { return size_; }
  Place at(std::size_t i) const;
  /// The same without the names.
  std::uint32_t path(std::size_t i) const;
  bool is_member(std::size_t i) const;

private:
  struct Record;
  class Walk;

  Walk walk(std::size_t i) const;

  const std::string& block(std::size_t number) const { return number == 0 ? first_ : others_[number - 1]; }

  std::string first_;                ///< most lists have one path, which needs no allocation
  std::vector<std::string> others_;  ///< blocks, so that appending never copies many
  std::vector<std::uint64_t> marks_; ///< sparse index: start offset of every Nth record
  std::size_t size_ = 0;
  std::uint64_t last_offset_ = 0;
};

/// Whether two inputs are equal except for their origins.
bool is_alike(const LtoInput& one, const LtoInput& other);
bool is_alike(const Judgement& one, const Judgement& other);
/// A hash that is equal for such inputs.
std::size_t likeness(const LtoInput& input);
std::size_t likeness(const Judgement& judgement);

/// A list of inputs, or of judgements on them, in which hundreds of thousands of members of one archive take
/// a few bytes more than their names: equal contents are stored once.
template <typename T>
class Placed {
public:
  Placed() = default;
  Placed(std::vector<T> all) { // NOLINT(google-explicit-constructor): the same list
    for (T& one : all)
      push_back(std::move(one));
  }

  void push_back(T one) {
    places_.add(path_number(one.path), one.offset, one.member);
    numbers_.push_back(content_number(std::move(one)));
  }
  void reserve(std::size_t size) { numbers_.reserve(size); }

  /// Whether an equal one is stored, so that another one only takes memory for its origin.
  bool knows(const T& one) const {
    if (contents_.size() < 2)
      return !contents_.empty() && is_alike(contents_.front(), one);
    const auto found = known_.find(likeness(one));
    return is_alike(contents_.back(), one) ||
           (found != known_.end() && is_alike(contents_[found->second], one));
  }

  std::size_t size() const { return numbers_.size(); }
  bool empty() const { return numbers_.empty(); }

  T at(std::size_t i) const {
    T one = content(i);
    Places::Place place = places_.at(i);
    one.path = paths_[place.path];
    one.member = std::move(place.member);
    one.offset = place.offset;
    return one;
  }
  /// All of it except the origin: path, member, offset.
  const T& content(std::size_t i) const { return contents_[numbers_[i]]; }
  /// Equal for those that share a content; less than `contents()`.
  std::size_t content_number(std::size_t i) const { return numbers_[i]; }
  std::size_t contents() const { return contents_.size(); }
  const std::string& path(std::size_t i) const { return paths_[places_.path(i)]; }
  bool is_member(std::size_t i) const { return places_.is_member(i); }
  std::vector<std::string> member(std::size_t i) const { return places_.at(i).member; }

  /// Removes those for whose number `is_out` returns true; calls it in order, once each.
  template <typename IsOut>
  void erase_if(const IsOut& is_out) {
    Places kept_places;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      if (!is_out(i)) {
        const Places::Place place = places_.at(i);
        kept_places.add(place.path, place.offset, place.member);
        numbers_[kept++] = numbers_[i];
      }
    numbers_.resize(kept);
    places_ = std::move(kept_places);
  }

private:
  std::uint32_t path_number(const std::string& path) {
    if (paths_.empty() || paths_.back() != path) // those of one file are adjacent
      paths_.push_back(path);
    return static_cast<std::uint32_t>(paths_.size() - 1);
  }

  std::uint32_t content_number(T&& one) {
    one.path.clear();
    one.member.clear();
    one.offset = 0;
    if (!contents_.empty()) { // most files have one
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
  std::unordered_map<std::size_t, std::uint32_t> known_; ///< contents by hash
  std::vector<std::uint32_t> numbers_;                   ///< index of each one's content
  Places places_;
};

} // namespace hostpin
