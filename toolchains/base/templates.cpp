// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/templates.hpp"

namespace hostpin {

namespace {

/// The value of the name that begins the text, and the length of the name with its signs; null: there is
/// none.
struct Named {
  const std::string* value = nullptr;
  std::size_t length = 0;
};

Named named(std::string_view text, const TemplateValues& values) {
  const std::size_t end = text.starts_with('@') ? text.find('@', 1) : std::string_view::npos;
  if (end == std::string_view::npos)
    return {};
  const auto found = values.find(text.substr(1, end - 1));
  return found == values.end() ? Named{} : Named{&found->second, end + 1};
}

/// Adds each line of `value` after the indentation.
void add_lines(std::string& result, std::string_view indentation, std::string_view value) {
  if (value.ends_with('\n'))
    value.remove_suffix(1);
  result += indentation;
  for (const char character : value) {
    result += character;
    if (character == '\n')
      result += indentation;
  }
  result += '\n';
}

void add_line(std::string& result, std::string_view line, const TemplateValues& values) {
  while (!line.empty()) {
    const Named name = named(line, values);
    if (name.value != nullptr)
      result += *name.value;
    else
      result += line.front();
    line.remove_prefix(name.value != nullptr ? name.length : 1);
  }
}

/// The text up to the end of the first line, which is removed from it.
std::string_view take_line(std::string_view& text) {
  const std::size_t newline = text.find('\n');
  const std::string_view line = text.substr(0, newline == std::string_view::npos ? newline : newline + 1);
  text.remove_prefix(line.size());
  return line;
}

/// Whether the text is `@IF NAME@` of a name that has no value, or an empty one.
bool is_left_out(std::string_view text, const TemplateValues& values) {
  text.remove_prefix(std::string_view("@IF ").size());
  const auto found = values.find(text.substr(0, text.find('@')));
  return found == values.end() || found->second.empty();
}

} // namespace

std::string expanded(std::string_view text, const TemplateValues& values) {
  std::string result;
  unsigned left_out = 0; // IFs that are open and left out
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    const std::string_view indentation = line.substr(0, line.find_first_not_of(" \t"));
    const std::string_view rest = line.substr(indentation.size());
    const Named name = named(rest, values);
    if (rest.starts_with("@IF "))
      left_out += left_out > 0 || is_left_out(rest, values) ? 1 : 0;
    else if (rest == "@END@\n")
      left_out -= left_out > 0 ? 1 : 0;
    else if (left_out > 0)
      continue;
    else if (name.value == nullptr || rest.substr(name.length) != "\n")
      add_line(result, line, values);
    else if (!name.value->empty())
      add_lines(result, indentation, *name.value);
  }
  return result;
}

} // namespace hostpin
