// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/document/record.hpp"

#include "toolchains/base/unicode.hpp"

#include <algorithm>

namespace hostpin::document {

namespace {

std::string named(std::string_view key, std::string_view what) {
  return '\'' + std::string(key) + "' is " + std::string(what);
}

} // namespace

void Reading::refuse(Position at, std::string what) {
  if (!problem)
    problem = Problem{std::move(what), at};
}

const Value* RecordReader::find(std::string_view key) {
  known_.push_back(key);
  return object_.find(key);
}

const Value* RecordReader::find_required(std::string_view key) {
  const Value* const value = find(key);
  if (value == nullptr && !reading_.problem) {
    lacks_ = "there is no '" + std::string(key) + '\'';
    reading_.refuse(object_.at, lacks_);
  }
  return value;
}

bool RecordReader::is_object() {
  if (object_.kind == Value::Kind::object)
    return true;
  reading_.refuse(object_.at, "this is not an object");
  return false;
}

void RecordReader::operator()(std::string_view key, std::string& text, Field field) {
  const bool is_optional = field == Field::always || field == Field::optional;
  const Value* const value = is_optional ? find(key) : find_required(key);
  if (value == nullptr)
    return;
  text = value->text;
  if (value->kind != Value::Kind::string || (field == Field::required && text.empty()))
    reading_.refuse(value->at, named(key, "not a string, or empty"));
}

void RecordReader::operator()(std::string_view key, bool& truth, Field) {
  const Value* const value = find(key);
  if (value != nullptr && value->kind != Value::Kind::boolean)
    reading_.refuse(value->at, named(key, "neither true nor false"));
  truth = value != nullptr && value->truth;
}

void RecordReader::operator()(std::string_view key, std::vector<std::string>& texts, Field field) {
  for (const Value& value : array(key, field)) {
    if (value.kind != Value::Kind::string || (value.text.empty() && field == Field::required))
      reading_.refuse(value.at, "this is not a string, or empty");
    texts.push_back(value.text);
  }
}

void RecordReader::digest(std::string_view key, std::string& text, Field field) {
  (*this)(key, text, field);
  if (!text.empty() && !is_hex_digest(text, 64))
    reading_.refuse(object_.find(key)->at, named(key, "not 64 lower-case hexadecimal digits"));
}

void RecordReader::schema(int number, std::string_view what, std::string_view key) {
  const Value* const value = find(key);
  if (value == nullptr || value->integer() != number)
    reading_.refuse(value == nullptr ? object_.at : value->at, "this is not " + std::string(what) + " of " +
                                                                   std::string(key) + ' ' +
                                                                   std::to_string(number));
}

void RecordReader::refuse_number(const Value& value, std::string_view key, std::string_view what,
                                 std::uint64_t least, std::uint64_t most) {
  reading_.refuse(value.at, named(key, what.empty() ? "not a whole number from " + std::to_string(least) +
                                                          " to " + std::to_string(most)
                                                    : "not " + std::string(what)));
}

void RecordReader::constant(std::string_view key, std::string_view text) {
  const Value* const value = find_required(key);
  if (value != nullptr && value->text != text)
    reading_.refuse(value->at, named(key, "not " + std::string(text)));
}

bool RecordReader::has(std::string_view key, bool) {
  return object_.find(key) != nullptr;
}

const std::vector<Value>& RecordReader::array(std::string_view key, Field field) {
  static const std::vector<Value> none;
  const Value* const value = find(key);
  if (value != nullptr && value->kind == Value::Kind::array)
    return value->items;
  if (value != nullptr || field == Field::required || field == Field::present)
    reading_.refuse(value == nullptr ? object_.at : value->at,
                    "there is no array '" + std::string(key) + '\'');
  return none;
}

void RecordReader::finish() {
  std::vector<bool> seen(known_.size());
  for (const Member& member : object_.members) {
    const auto found = std::ranges::find(known_, member.key);
    if (found == known_.end()) {
      if (!reading_.allows_unknown_keys && (!reading_.problem || lacks_ == reading_.problem->what))
        reading_.problem = Problem{"unknown key '" + escaped(member.key) + "'", member.at};
      continue;
    }
    const auto index = static_cast<std::size_t>(found - known_.begin());
    if (seen[index])
      reading_.refuse(member.at, "the key '" + member.key + "' occurs twice");
    seen[index] = true;
  }
}

} // namespace hostpin::document
