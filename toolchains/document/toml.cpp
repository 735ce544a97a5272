// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/document/toml.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>

namespace hostpin::document {

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

} // namespace hostpin::document

#undef NDEBUG
#define TOML_ASSERT(expression) ((expression) ? void() : ::hostpin::document::fail_check(#expression))
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

namespace hostpin::document {

namespace {

constexpr std::size_t size_limit = std::size_t{1} << 20;

Position position_of(const toml::source_position& begin) {
  return {begin.line, begin.column};
}

Value converted(const toml::node& node);

void convert_table(const toml::table& table, Value& value) {
  value.kind = Value::Kind::object;
  for (const auto& [key, child] : table)
    value.members.push_back({std::string(key.str()), position_of(key.source().begin), converted(child)});
  // toml++ sorts by key; the first mistake reported must be the first in the file.
  std::ranges::sort(value.members, {}, &Member::at);
}

Value converted(const toml::node& node) {
  Value value;
  value.at = position_of(node.source().begin);
  if (const auto* text = node.as_string()) {
    value.kind = Value::Kind::string;
    value.text = text->get();
  } else if (const auto* number = node.as_integer()) {
    value.kind = Value::Kind::number;
    value.text = std::to_string(number->get());
  } else if (const auto* truth = node.as_boolean()) {
    value.kind = Value::Kind::boolean;
    value.truth = truth->get();
  } else if (const auto* array = node.as_array()) {
    value.kind = Value::Kind::array;
    for (const toml::node& item : *array)
      value.items.push_back(converted(item));
  } else if (const auto* table = node.as_table()) {
    convert_table(*table, value);
  }
  return value;
}

tl::expected<Value, Problem> parsed_or_thrown(std::string_view content) {
  const toml::parse_result parsed = toml::parse(content);
  if (parsed)
    return converted(parsed.table());
  return tl::unexpected(
      Problem{std::string(parsed.error().description()), position_of(parsed.error().source().begin)});
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

tl::expected<Value, Problem> parse_toml(std::string_view content) try {
  return parsed_or_thrown(content);
} catch (const FailedCheck&) {
  return tl::unexpected(Problem{"this line is not TOML", {failing_line(content), 1}});
} catch (const std::exception& problem) { // bad_alloc and friends still come out of the standard library
  return tl::unexpected(Problem{std::string("this cannot be parsed: ") + problem.what(), {1, 1}});
}

Result<Value> read_toml(const Files& files, const std::string& path) {
  TRY_ASSIGN(const std::string content, files.read(path, size_limit));
  return parse_toml(content).map_error(
      [&](const Problem& problem) { return error_at(path, problem, "the file must be TOML 1.0"); });
}

} // namespace hostpin::document
