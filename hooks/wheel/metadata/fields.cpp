// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/metadata/fields.hpp"

#include "toolchains/base/text.hpp"

#include <cstddef>

namespace hostpin::wheel {

namespace {

constexpr std::size_t most_fields = 65536;

/// Takes the next line, without its end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

} // namespace

std::vector<Field> read_fields(std::string_view text) {
  std::vector<Field> fields;
  bool is_known = false; // what a continuation line continues
  while (!text.empty() && fields.size() < most_fields) {
    const std::string_view line = take_line(text);
    if (line.empty() || line == "\r") // a line of blanks continues a header, as in License
      break;
    if (line.front() == ' ' || line.front() == '\t') {
      if (is_known)
        fields.back().value.append("\n").append(trimmed(line));
      continue;
    }
    const std::size_t colon = line.find(':');
    is_known = colon != std::string_view::npos;
    if (is_known)
      fields.push_back(
          {lower_case(trimmed(line.substr(0, colon))), std::string(trimmed(line.substr(colon + 1)))});
  }
  return fields;
}

std::optional<std::string> value_of(const std::vector<Field>& fields, std::string_view name) {
  for (const Field& field : fields)
    if (field.name == name)
      return field.value;
  return std::nullopt;
}

std::vector<std::string> values_of(const std::vector<Field>& fields, std::string_view name) {
  std::vector<std::string> values;
  for (const Field& field : fields)
    if (field.name == name)
      values.push_back(field.value);
  return values;
}

} // namespace hostpin::wheel
