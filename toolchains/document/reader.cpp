// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/document/reader.hpp"

#include "toolchains/base/nearest.hpp"

#include <algorithm>

namespace hostpin::document {

const Member* Reader::member(std::string_view key) {
  asked_.emplace(key);
  return table_.member(key);
}

void Reader::require(std::string_view key) {
  if (member(key) == nullptr)
    refuse(table_.at, "the key " + quoted(key) + " is missing");
}

bool Reader::is_string(const Value& value, std::string_view key) {
  if (value.kind != Value::Kind::string)
    refuse(value.at, quoted(key) + " must be a string");
  else if (value.text.empty())
    refuse(value.at, quoted(key) + " is empty", "leave the key out instead");
  else if (value.text.find('\0') != std::string::npos)
    refuse(value.at, quoted(key) + " contains a NUL character");
  else
    return true;
  return false;
}

std::optional<std::string> Reader::string(std::string_view key) {
  const Member* const found = member(key);
  if (found == nullptr || !is_string(found->value, key))
    return std::nullopt;
  return found->value.text;
}

std::string Reader::required(std::string_view key) {
  require(key);
  return string(key).value_or("");
}

std::optional<bool> Reader::boolean(std::string_view key) {
  const Member* const found = member(key);
  if (found == nullptr)
    return std::nullopt;
  if (found->value.kind == Value::Kind::boolean)
    return found->value.truth;
  refuse(found->value.at, quoted(key) + " must be true or false");
  return std::nullopt;
}

std::vector<std::string> Reader::strings(std::string_view key) {
  std::vector<std::string> texts;
  const Member* const found = member(key);
  if (found == nullptr)
    return texts;
  if (found->value.kind != Value::Kind::array)
    refuse(found->value.at, quoted(key) + " must be an array of strings");
  for (const Value& item : found->value.items)
    if (is_string(item, key))
      texts.push_back(item.text);
  return texts;
}

std::vector<std::string> Reader::required_strings(std::string_view key) {
  require(key);
  return strings(key);
}

std::optional<std::pair<int, int>> Reader::range(std::string_view key) {
  const Member* const found = member(key);
  if (found == nullptr)
    return std::nullopt;
  const auto is_major = [](const Value& item) {
    const auto number = item.integer();
    return number && *number >= 0 && *number <= 999999;
  };
  const auto& items = found->value.items;
  if (items.size() != 2 || !std::ranges::all_of(items, is_major)) {
    refuse(found->value.at, quoted(key) + " must be two majors such as [6, 13]");
    return std::nullopt;
  }
  if (*items[0].integer() > *items[1].integer()) {
    refuse(found->value.at, quoted(key) + " starts above its end");
    return std::nullopt;
  }
  return std::pair(static_cast<int>(*items[0].integer()), static_cast<int>(*items[1].integer()));
}

const std::vector<Value>* Reader::tables(std::string_view key) {
  const Member* const found = member(key);
  if (found == nullptr)
    return nullptr;
  const auto is_table = [](const Value& item) { return item.kind == Value::Kind::object; };
  const auto& items = found->value.items;
  if (found->value.kind == Value::Kind::array && std::all_of(items.begin(), items.end(), is_table))
    return &items;
  refuse(found->value.at, quoted(key) + " must be tables, each under [[" + std::string(key) + "]]");
  return nullptr;
}

int Reader::number(std::string_view key, int otherwise) {
  constexpr std::int64_t most = 1000;
  const Member* const found = member(key);
  if (found == nullptr)
    return otherwise;
  const auto number = found->value.integer();
  if (number && *number >= 0 && *number <= most)
    return static_cast<int>(*number);
  refuse(key, "it is not a whole number from 0 to 1000");
  return otherwise;
}

const Value* Reader::table(std::string_view key) {
  const Member* const found = member(key);
  if (found == nullptr)
    return nullptr;
  if (found->value.kind == Value::Kind::object)
    return &found->value;
  refuse(found->value.at, quoted(key) + " must be a table");
  return nullptr;
}

void Reader::refuse(Position at, const std::string& what, std::string hint) {
  if (!error_)
    error_ = error_at(path_, {what, at}, std::move(hint));
}

void Reader::refuse(std::string_view key, const std::string& what, std::string hint) {
  const Member* const found = member(key);
  refuse(found != nullptr ? found->value.at : table_.at, what, std::move(hint));
}

bool Reader::adopt(const Result<void>& finished) {
  if (!finished && !error_)
    error_ = finished.error();
  return finished.has_value();
}

Result<void> Reader::finish(const std::string& hint) {
  for (const Member& member : table_.members)
    if (!asked_.contains(member.key)) {
      const std::string meant = nearest(member.key, std::vector<std::string>(asked_.begin(), asked_.end()));
      refuse(member.at, "unknown key " + quoted(member.key),
             meant.empty() ? hint : "did you mean " + quoted(meant) + '?' + (hint.empty() ? "" : " " + hint));
    }
  if (error_)
    return tl::unexpected(*error_);
  return {};
}

} // namespace hostpin::document
