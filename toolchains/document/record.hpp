// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/unicode.hpp"
#include "toolchains/document/value.hpp"

#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

// A record is described once, by a function next to it that both the reader and the writer of its file call:
//   void fields(document::Of<LockedManifest> auto& one, auto& visit) {
//     visit("product", one.product);
//     visit("date", one.date, document::Field::optional);
//   }
// A function `std::string defect(const LockedManifest&)`, if there is one, returns why a record that was read
// is refused; empty if it is not.

namespace hostpin::document {

/// When a member is written, and what its absence means.
enum class Field {
  required, ///< always written; there, and no empty string
  present,  ///< always written; there, maybe empty
  always,   ///< always written; may be absent
  optional, ///< written if it is neither empty nor false; may be absent
};

/// For `fields`: a record, const or not.
template <typename T, typename Record>
concept Of = std::same_as<std::remove_const_t<T>, Record>;

/// The state of reading a document: its first problem, while reading goes on with empty values.
struct Reading {
  std::optional<Problem> problem = {};
  bool allows_unknown_keys = false;

  void refuse(Position at, std::string what);
};

/// Reads a record from an object: strict about types, missing and repeated keys, and about unknown ones
/// unless they are allowed.
class RecordReader {
public:
  RecordReader(const Value& object, Reading& reading) : object_(object), reading_(reading) {}

  void operator()(std::string_view key, std::string& text, Field field = Field::required);
  /// False if it is absent.
  void operator()(std::string_view key, bool& truth, Field field = Field::optional);
  /// Strings that are not empty.
  void operator()(std::string_view key, std::vector<std::string>& texts, Field field = Field::required);
  /// Each of an array of records.
  template <typename Record>
  void operator()(std::string_view key, std::vector<Record>& records);
  /// The same, with `take(record, visit)` instead of `fields`.
  template <typename Record, typename Take>
  void each(std::string_view key, std::vector<Record>& records, Take take);
  /// Another record; one in an optional may be absent.
  template <typename Record>
  void operator()(std::string_view key, Record& record);
  template <typename Record>
  void operator()(std::string_view key, std::optional<Record>& record);

  /// A SHA-256, 64 lower-case hexadecimal digits.
  void digest(std::string_view key, std::string& text, Field field = Field::required);
  /// A whole number from `least`; `what` for messages. One in an optional may be absent; with
  /// `Field::always` it is written as null.
  template <std::integral Number>
  void number(std::string_view key, Number& number, std::string_view what = {}, Number least = 0);
  template <std::integral Number>
  void number(std::string_view key, std::optional<Number>& number, std::string_view what = {},
              Field field = Field::optional);
  /// A value with a text, of which `parse` makes an optional; `wrong` for the message `the KEY 'TEXT' is not
  /// ..`.
  template <typename Member, typename Print, typename Parse>
  void text(std::string_view key, Member& member, Print print, Parse parse, std::string_view wrong);
  /// An object with members that `visit` names.
  template <typename Visit>
  void object(std::string_view key, Visit visit);
  /// A member that is written for other programs, and ignored here.
  template <typename Derive>
  void derived(std::string_view key, Derive) {
    find(key);
  }
  /// A member with this text; the problem is `'KEY' is not TEXT`.
  void constant(std::string_view key, std::string_view text);
  /// Whether the object has a member, for members that go together; a writer returns `is_there`.
  bool has(std::string_view key, bool is_there);
  /// The member `schema`, or another `key`; the problem is `this is not WHAT of schema NUMBER`.
  void schema(int number, std::string_view what, std::string_view key = "schema");

  /// Reads the object by `fields`, and reports what is left.
  template <typename Record>
  void read(Record& record);

private:
  const Value* find(std::string_view key);
  const Value* find_required(std::string_view key);
  template <typename Visit>
  void take(Visit visit);
  bool is_object();
  void finish();
  void refuse_number(const Value& value, std::string_view key, std::string_view what, std::uint64_t least,
                     std::uint64_t most);
  const std::vector<Value>& array(std::string_view key, Field field);

  const Value& object_;
  Reading& reading_;
  std::vector<std::string_view> known_;
  std::string lacks_; ///< the problem of a missing member: an unknown one, as by a typing error, explains it
};

template <typename Record>
void RecordReader::operator()(std::string_view key, std::vector<Record>& records) {
  for (const Value& value : array(key, Field::required))
    RecordReader(value, reading_).read(records.emplace_back());
}

template <typename Record, typename Take>
void RecordReader::each(std::string_view key, std::vector<Record>& records, Take take) {
  for (const Value& value : array(key, Field::required)) {
    Record& record = records.emplace_back();
    RecordReader(value, reading_).take([&](RecordReader& inner) { take(record, inner); });
  }
}

template <typename Record>
void RecordReader::operator()(std::string_view key, Record& record) {
  if (const Value* const value = find_required(key))
    RecordReader(*value, reading_).read(record);
}

template <typename Record>
void RecordReader::operator()(std::string_view key, std::optional<Record>& record) {
  if (const Value* const value = find(key))
    RecordReader(*value, reading_).read(record.emplace());
}

template <std::integral Number>
void RecordReader::number(std::string_view key, Number& number, std::string_view what, Number least) {
  const Value* const value = find_required(key);
  if (value == nullptr)
    return;
  const auto read = value->natural();
  if (read && std::in_range<Number>(*read) && static_cast<Number>(*read) >= least)
    number = static_cast<Number>(*read);
  else
    refuse_number(*value, key, what, least, static_cast<std::uint64_t>(std::numeric_limits<Number>::max()));
}

template <std::integral Number>
void RecordReader::number(std::string_view key, std::optional<Number>& number, std::string_view what,
                          Field field) {
  const Value* const value = find(key);
  if (value != nullptr && (field == Field::optional || value->kind != Value::Kind::null))
    this->number(key, number.emplace(), what);
}

template <typename Member, typename Print, typename Parse>
void RecordReader::text(std::string_view key, Member& member, Print, Parse parse, std::string_view wrong) {
  std::string text;
  (*this)(key, text);
  if (const auto parsed = parse(text))
    member = *parsed;
  else
    reading_.refuse(object_.at, "the " + std::string(key) + " '" + escaped(text) + "' " + std::string(wrong));
}

template <typename Visit>
void RecordReader::object(std::string_view key, Visit visit) {
  if (const Value* const value = find_required(key))
    RecordReader(*value, reading_).take(visit);
}

template <typename Visit>
void RecordReader::take(Visit visit) {
  if (!is_object())
    return;
  visit(*this);
  finish();
}

template <typename Record>
void RecordReader::read(Record& record) {
  take([&](RecordReader& inner) { fields(record, inner); });
  if constexpr (requires { defect(record); })
    if (std::string what = defect(record); !what.empty())
      reading_.refuse(object_.at, std::move(what));
}

/// The record in the text of a JSON document, or its first problem.
template <typename Record>
tl::expected<Record, Problem> record_of(const Value& document, Reading reading = {}) {
  Record record;
  RecordReader(document, reading).read(record);
  if (reading.problem)
    return tl::unexpected(*std::move(reading.problem));
  return record;
}

} // namespace hostpin::document
