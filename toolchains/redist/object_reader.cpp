// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/object_reader.hpp"

#include "toolchains/base/unicode.hpp"
#include "toolchains/redist/lock.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace hostpin::redist {

namespace {

std::string quoted_key(std::string_view key) {
  return '\'' + std::string(key) + '\'';
}

} // namespace

void ObjectReader::refuse(Position at, const std::string& what) {
  if (!error_)
    error_ =
        Error{file_ + ':' + std::to_string(at.line) + ':' + std::to_string(at.column) + ": " + what, hint_};
}

bool ObjectReader::is_object(const JsonValue& value, std::initializer_list<std::string_view> known) {
  if (value.kind != JsonValue::Kind::object) {
    refuse(value.at, "this is not an object");
    return false;
  }
  std::uint64_t seen = 0;
  for (const JsonMember& member : value.members) {
    const auto* const key = std::ranges::find(known, member.key);
    if (key == known.end()) {
      refuse(member.at, "unknown key '" + escaped(member.key) + "'");
      continue;
    }
    const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(key - known.begin());
    if ((seen & bit) != 0)
      refuse(member.at, "the key '" + member.key + "' occurs twice");
    seen |= bit;
  }
  return true;
}

bool ObjectReader::has_schema(const JsonValue& object, int number, std::string_view what) {
  const JsonValue* const schema = object.find("schema");
  const std::string expected = std::to_string(number);
  if (schema != nullptr && schema->kind == JsonValue::Kind::number && schema->text == expected)
    return true;
  refuse(schema == nullptr ? object.at : schema->at,
         "this is not " + std::string(what) + " of schema " + expected);
  return false;
}

std::string ObjectReader::string(const JsonValue& object, std::string_view key) {
  std::string text = optional_string(object, key);
  if (const JsonValue* const value = object.find(key); value == nullptr)
    refuse(object.at, "there is no " + quoted_key(key));
  else if (text.empty())
    refuse(value->at, quoted_key(key) + " is not a string, or empty");
  return text;
}

std::string ObjectReader::optional_string(const JsonValue& object, std::string_view key) {
  const JsonValue* const value = object.find(key);
  if (value == nullptr)
    return {};
  if (value->kind != JsonValue::Kind::string)
    refuse(value->at, quoted_key(key) + " is not a string, or empty");
  return value->text;
}

std::string ObjectReader::digest(const JsonValue& object, std::string_view key) {
  return checked_digest(object, key, string(object, key));
}

std::string ObjectReader::optional_digest(const JsonValue& object, std::string_view key) {
  return checked_digest(object, key, optional_string(object, key));
}

std::string ObjectReader::checked_digest(const JsonValue& object, std::string_view key, std::string text) {
  if (!text.empty() && !is_hex_digest(text, 64))
    refuse(object.find(key)->at, quoted_key(key) + " is not 64 lower-case hexadecimal digits");
  return text;
}

std::optional<std::uint64_t> ObjectReader::optional_number(const JsonValue& object, std::string_view key,
                                                           std::string_view what) {
  const JsonValue* const value = object.find(key);
  if (value == nullptr)
    return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = value->text.data() + value->text.size();
  const auto [stop, error] = std::from_chars(value->text.data(), end, number);
  if (value->kind != JsonValue::Kind::number || error != std::errc() || stop != end)
    refuse(value->at, quoted_key(key) + " is not " + std::string(what));
  return number;
}

bool ObjectReader::truth(const JsonValue& object, std::string_view key) {
  const JsonValue* const value = object.find(key);
  if (value != nullptr && value->kind != JsonValue::Kind::boolean)
    refuse(value->at, quoted_key(key) + " is neither true nor false");
  return value != nullptr && value->truth;
}

const std::vector<JsonValue>& ObjectReader::array(const JsonValue& object, std::string_view key) {
  static const std::vector<JsonValue> none;
  const JsonValue* const value = object.find(key);
  if (value == nullptr || value->kind != JsonValue::Kind::array) {
    refuse(value == nullptr ? object.at : value->at, "there is no array " + quoted_key(key));
    return none;
  }
  return value->items;
}

std::vector<std::string> ObjectReader::strings(const JsonValue& object, std::string_view key) {
  std::vector<std::string> texts;
  for (const JsonValue& value : array(object, key)) {
    if (value.kind != JsonValue::Kind::string || value.text.empty())
      refuse(value.at, "this is not a string, or empty");
    texts.push_back(value.text);
  }
  return texts;
}

} // namespace hostpin::redist
