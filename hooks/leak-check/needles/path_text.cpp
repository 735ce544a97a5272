// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/needles/path_text.hpp"

#include <cstddef>

namespace hostpin::leak {

namespace {

constexpr std::size_t longest_word = 64; // before a path: longer than any option that is attached to one

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_name_character(char c) {
  return is_alphanumeric(c) || c == '_' || c == '-' || c == '+' || c == '~' || c == '@';
}

bool is_word(char c) {
  return is_name_character(c) || c == '.';
}

/// Characters that no unquoted path contains.
bool separates(char c) {
  constexpr std::string_view separators = "\"'`:;,<>()|&=*?\x7f";
  return static_cast<unsigned char>(c) <= ' ' || separators.find(c) != std::string_view::npos;
}

} // namespace

std::optional<char> Surroundings::next(std::size_t at, std::size_t steps) const {
  const std::size_t place = at + steps * stride;
  if (place >= bytes.size() || (stride == 2 && place + 1 < bytes.size() && bytes[place + 1] != '\0'))
    return std::nullopt;
  return bytes[place];
}

std::optional<char> Surroundings::previous(std::size_t at, std::size_t steps) const {
  if (at < steps * stride)
    return std::nullopt;
  const std::size_t place = at - steps * stride;
  if (stride == 2 && bytes[place + 1] != '\0')
    return std::nullopt;
  return bytes[place];
}

Beginning beginning(const Surroundings& surroundings, std::size_t at) {
  std::size_t steps = 1;
  while (surroundings.previous(at, steps) == '/' && steps < longest_word)
    ++steps;
  std::optional<char> before = surroundings.previous(at, steps);
  if (before == '}' || before == ')' || before == '/')
    return Beginning::inside;
  if (!before || !is_word(*before))
    return Beginning::path;
  char first = *before;
  for (const std::size_t end = steps + longest_word; before && is_word(*before) && steps < end;
       before = surroundings.previous(at, ++steps))
    first = *before;
  if (before == '/' || before == '}' || before == ')')
    return Beginning::inside;
  return first == '-' ? Beginning::path : Beginning::attached; // an option and its value: -L/opt/gcc-11
}

bool ends_name(const Surroundings& surroundings, std::size_t at) {
  const std::optional<char> first = surroundings.next(at, 0);
  if (!first)
    return true;
  if (*first != '.')
    return !is_name_character(*first);
  const std::optional<char> second = surroundings.next(at, 1);
  return !second || !is_word(*second); // a full stop
}

std::string_view path_around(std::string_view bytes, std::size_t at, std::size_t reach) {
  std::size_t begin = at;
  while (begin > 0 && at - begin < reach && !separates(bytes[begin - 1]))
    --begin;
  std::size_t end = at;
  while (end < bytes.size() && end - at < reach && !separates(bytes[end]))
    ++end;
  return bytes.substr(begin, end - begin);
}

std::string escaped(std::string_view path) {
  std::string text;
  for (const char c : path) {
    if (c == '/')
      text += '\\';
    text += c;
  }
  return text;
}

std::string unescaped(std::string_view text) {
  std::string path;
  path.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i)
    if (!text.substr(i).starts_with("\\/"))
      path += text[i];
  return path;
}

std::size_t escaped_length(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; count > 0 && at < text.size(); --count)
    at += text.substr(at).starts_with("\\/") ? 2 : 1;
  return at;
}

} // namespace hostpin::leak
