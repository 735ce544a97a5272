// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/document/value.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace hostpin::document {

namespace {

template <typename Number>
std::optional<Number> whole(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

} // namespace

const Member* Value::member(std::string_view key) const {
  const auto found = std::ranges::find(members, key, &Member::key);
  return found == members.end() ? nullptr : &*found;
}

const Value* Value::find(std::string_view key) const {
  const Member* const found = member(key);
  return found == nullptr ? nullptr : &found->value;
}

std::optional<std::int64_t> Value::integer() const {
  return kind == Kind::number ? whole<std::int64_t>(text) : std::nullopt;
}

std::optional<std::uint64_t> Value::natural() const {
  return kind == Kind::number ? whole<std::uint64_t>(text) : std::nullopt;
}

std::string_view to_string(Value::Kind kind) {
  switch (kind) {
  case Value::Kind::null:
    return "null";
  case Value::Kind::boolean:
    return "boolean";
  case Value::Kind::number:
    return "number";
  case Value::Kind::string:
    return "string";
  case Value::Kind::array:
    return "array";
  case Value::Kind::object:
    return "object";
  }
  return {};
}

Error error_at(const std::string& path, const Problem& problem, std::string hint) {
  return {path + ':' + std::to_string(problem.at.line) + ':' + std::to_string(problem.at.column) + ": " +
              problem.what,
          std::move(hint)};
}

std::string quoted(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result = "`";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte == 0x7f)
      result.append("\\x").append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
    else
      result += character;
  }
  return result += '`';
}

bool is_hex_digest(std::string_view text, std::size_t digits) {
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

} // namespace hostpin::document
