// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/table/toml.hpp"

#include "toolchains/base/nearest.hpp"
#include "toolchains/base/text.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>

namespace hostpin {

namespace {

/// A failed assertion of toml++. Input such as `[=]` triggers one (3.3.0), which would be undefined behaviour
/// with NDEBUG and an abort without.
struct FailedCheck : std::logic_error {
  using std::logic_error::logic_error;
};

[[noreturn]] void fail_check(const char* expression) {
  throw FailedCheck(expression);
}

} // namespace

} // namespace hostpin

#undef NDEBUG
#define TOML_ASSERT(expression) ((expression) ? void() : ::hostpin::fail_check(#expression))
#define TOML_EXCEPTIONS 0
// Its test for non-ASCII spaces treats some letters, such as an e with an acute accent, as unreachable, but
// they are only not spaces. The header with that test is included first, with this definition.
#include <toml++/impl/forward_declarations.h>
#pragma push_macro("TOML_UNREACHABLE")
#undef TOML_UNREACHABLE
#define TOML_UNREACHABLE return false
#include <toml++/impl/unicode.h>
#pragma pop_macro("TOML_UNREACHABLE")
#include <toml++/toml.h>

namespace hostpin {

namespace {

constexpr std::size_t size_limit = std::size_t{1} << 20;

std::string place(const std::string& path, unsigned line, unsigned column) {
  return path + ':' + std::to_string(line) + ':' + std::to_string(column) + ": ";
}

TomlValue converted(const toml::node& node);

void convert_table(const toml::table& table, TomlValue& value) {
  value.kind = TomlValue::Kind::table;
  for (const auto& [key, child] : table) {
    const auto& begin = key.source().begin;
    value.members.push_back({std::string(key.str()), begin.line, begin.column, converted(child)});
  }
  // toml++ sorts by key; the first mistake reported must be the first in the file.
  std::sort(value.members.begin(), value.members.end(), [](const TomlMember& left, const TomlMember& right) {
    return std::pair(left.line, left.column) < std::pair(right.line, right.column);
  });
}

TomlValue converted(const toml::node& node) {
  TomlValue value;
  value.line = node.source().begin.line;
  value.column = node.source().begin.column;
  if (const auto* text = node.as_string()) {
    value.kind = TomlValue::Kind::string;
    value.text = text->get();
  } else if (const auto* number = node.as_integer()) {
    value.kind = TomlValue::Kind::integer;
    value.number = number->get();
  } else if (const auto* truth = node.as_boolean()) {
    value.kind = TomlValue::Kind::boolean;
    value.truth = truth->get();
  } else if (const auto* array = node.as_array()) {
    value.kind = TomlValue::Kind::array;
    for (const toml::node& item : *array)
      value.items.push_back(converted(item));
  } else if (const auto* table = node.as_table()) {
    convert_table(*table, value);
  }
  return value;
}

constexpr const char* toml_hint = "the file must be TOML 1.0";

Result<TomlValue> parsed_or_thrown(std::string_view content, const std::string& path) {
  const toml::parse_result parsed = toml::parse(content, path);
  if (parsed)
    return converted(parsed.table());
  const auto& begin = parsed.error().source().begin;
  return failure(place(path, begin.line, begin.column) + std::string(parsed.error().description()),
                 toml_hint);
}

bool fails_check(std::string_view content) try {
  static_cast<void>(toml::parse(content));
  return false;
} catch (const FailedCheck&) {
  return true;
}

/// The line that fails: the parser only moves forward, so every prefix with that line fails and no shorter
/// one does.
unsigned failing_line(std::string_view content) {
  std::vector<std::size_t> ends;
  for (std::size_t end = content.find('\n'); end != std::string_view::npos; end = content.find('\n', end + 1))
    ends.push_back(end);
  const auto line = std::partition_point(
      ends.begin(), ends.end(), [&](std::size_t end) { return !fails_check(content.substr(0, end)); });
  return static_cast<unsigned>(line - ends.begin()) + 1;
}

} // namespace

Result<TomlValue> parse_toml(std::string_view content, const std::string& path) try {
  return parsed_or_thrown(content, path);
} catch (const FailedCheck&) {
  return failure(place(path, failing_line(content), 1) + "this line is not TOML", toml_hint);
} catch (const std::exception& problem) { // bad_alloc and friends still come out of the standard library
  return failure(path + ": cannot be parsed: " + problem.what());
}

Result<TomlValue> read_toml(const Files& files, const std::string& path) {
  return files.read(path, size_limit).and_then([&](const std::string& content) {
    return parse_toml(content, path);
  });
}

const TomlMember* TomlReader::member(std::string_view key) {
  asked_.emplace(key);
  const auto found = std::find_if(table_.members.begin(), table_.members.end(),
                                  [&](const TomlMember& member) { return member.key == key; });
  return found == table_.members.end() ? nullptr : &*found;
}

void TomlReader::require(std::string_view key) {
  if (member(key) == nullptr)
    refuse(table_.line, table_.column, "the key " + quoted(key) + " is missing");
}

bool TomlReader::is_string(const TomlValue& value, std::string_view key) {
  if (value.kind != TomlValue::Kind::string)
    refuse(value.line, value.column, quoted(key) + " must be a string");
  else if (value.text.empty())
    refuse(value.line, value.column, quoted(key) + " is empty", "leave the key out instead");
  else if (value.text.find('\0') != std::string::npos)
    refuse(value.line, value.column, quoted(key) + " contains a NUL character");
  else
    return true;
  return false;
}

std::optional<std::string> TomlReader::string(std::string_view key) {
  const TomlMember* const found = member(key);
  if (found == nullptr || !is_string(found->value, key))
    return std::nullopt;
  return found->value.text;
}

std::string TomlReader::required(std::string_view key) {
  require(key);
  return string(key).value_or("");
}

std::optional<bool> TomlReader::boolean(std::string_view key) {
  const TomlMember* const found = member(key);
  if (found == nullptr)
    return std::nullopt;
  if (found->value.kind == TomlValue::Kind::boolean)
    return found->value.truth;
  refuse(found->value.line, found->value.column, quoted(key) + " must be true or false");
  return std::nullopt;
}

std::vector<std::string> TomlReader::strings(std::string_view key) {
  std::vector<std::string> texts;
  const TomlMember* const found = member(key);
  if (found == nullptr)
    return texts;
  if (found->value.kind != TomlValue::Kind::array)
    refuse(found->value.line, found->value.column, quoted(key) + " must be an array of strings");
  for (const TomlValue& item : found->value.items)
    if (is_string(item, key))
      texts.push_back(item.text);
  return texts;
}

std::optional<std::pair<int, int>> TomlReader::range(std::string_view key) {
  const TomlMember* const found = member(key);
  if (found == nullptr)
    return std::nullopt;
  const TomlValue& value = found->value;
  const auto is_major = [](const TomlValue& item) {
    return item.kind == TomlValue::Kind::integer && item.number >= 0 && item.number <= 999999;
  };
  if (value.items.size() != 2 || !std::all_of(value.items.begin(), value.items.end(), is_major)) {
    refuse(value.line, value.column, quoted(key) + " must be two majors such as [6, 13]");
    return std::nullopt;
  }
  if (value.items[0].number > value.items[1].number) {
    refuse(value.line, value.column, quoted(key) + " starts above its end");
    return std::nullopt;
  }
  return std::pair(static_cast<int>(value.items[0].number), static_cast<int>(value.items[1].number));
}

const std::vector<TomlValue>* TomlReader::tables(std::string_view key) {
  const TomlMember* const found = member(key);
  if (found == nullptr)
    return nullptr;
  const auto is_table = [](const TomlValue& item) { return item.kind == TomlValue::Kind::table; };
  const auto& items = found->value.items;
  if (found->value.kind == TomlValue::Kind::array && std::all_of(items.begin(), items.end(), is_table))
    return &items;
  refuse(found->value.line, found->value.column,
         quoted(key) + " must be tables, each under [[" + std::string(key) + "]]");
  return nullptr;
}

int TomlReader::number(std::string_view key, int otherwise) {
  constexpr std::int64_t most = 1000;
  const TomlMember* const found = member(key);
  if (found == nullptr)
    return otherwise;
  if (found->value.kind != TomlValue::Kind::integer || found->value.number < 0 ||
      found->value.number > most) {
    refuse(key, "it is not a whole number from 0 to 1000");
    return otherwise;
  }
  return static_cast<int>(found->value.number);
}

const TomlValue* TomlReader::table(std::string_view key) {
  const TomlMember* const found = member(key);
  if (found == nullptr)
    return nullptr;
  if (found->value.kind == TomlValue::Kind::table)
    return &found->value;
  refuse(found->value.line, found->value.column, quoted(key) + " must be a table");
  return nullptr;
}

void TomlReader::refuse(unsigned line, unsigned column, const std::string& what, std::string hint) {
  if (!error_)
    error_ = Error{place(path_, line, column) + what, std::move(hint)};
}

void TomlReader::refuse(std::string_view key, const std::string& what, std::string hint) {
  const TomlMember* const found = member(key);
  refuse(found != nullptr ? found->value.line : table_.line,
         found != nullptr ? found->value.column : table_.column, what, std::move(hint));
}

void TomlReader::adopt(Error error) {
  if (!error_)
    error_ = std::move(error);
}

std::optional<Error> TomlReader::finish(const std::string& hint) {
  for (const TomlMember& member : table_.members)
    if (asked_.find(member.key) == asked_.end()) {
      const std::string meant = nearest(member.key, std::vector<std::string>(asked_.begin(), asked_.end()));
      refuse(member.line, member.column, "unknown key " + quoted(member.key),
             meant.empty() ? hint : "did you mean " + quoted(meant) + '?' + (hint.empty() ? "" : " " + hint));
    }
  return error_;
}

std::string quoted(std::string_view text) {
  return '`' + with_escaped_controls(text) + '`';
}

} // namespace hostpin
