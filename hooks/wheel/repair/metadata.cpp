// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/repair/metadata.hpp"

#include "hooks/wheel/metadata/fields.hpp"
#include "hooks/wheel/metadata/requirement.hpp"

#include <algorithm>
#include <functional>

namespace hostpin::wheel {

namespace {

/// The lines of a header, continuation lines included, or the rest from the first empty line on.
std::string_view take_header(std::string_view& text, bool& is_body) {
  const auto line_end = [&](std::size_t from) {
    const std::size_t end = text.find('\n', from);
    return end == std::string_view::npos ? text.size() : end + 1;
  };
  std::size_t end = line_end(0);
  is_body = text.starts_with('\n') || text.starts_with("\r\n");
  while (!is_body && end < text.size() && (text[end] == ' ' || text[end] == '\t'))
    end = line_end(end);
  if (is_body)
    end = text.size();
  const std::string_view header = text.substr(0, end);
  text.remove_prefix(end);
  return header;
}

/// Without headers of that name for which `is_replaced` holds; `added` comes after the last one of the name
/// that stays, or at the end of the headers.
std::string replaced(std::string_view text, std::string_view name, const std::string& added,
                     const std::function<bool(const std::string& value)>& is_replaced) {
  std::string headers;
  std::size_t place = std::string::npos;
  bool is_body = false;
  std::string_view body;
  while (!text.empty()) {
    const std::string_view header = take_header(text, is_body);
    if (is_body) {
      body = header;
      break;
    }
    const auto fields = read_fields(header);
    const bool is_named = fields.size() == 1 && fields.front().name == name;
    if (is_named && is_replaced(fields.front().value)) {
      place = place == std::string::npos ? headers.size() : place;
      continue;
    }
    headers += header;
    if (!headers.ends_with('\n'))
      headers += '\n';
    if (is_named)
      place = headers.size();
  }
  headers.insert(std::min(place, headers.size()), added);
  return headers.append(body);
}

} // namespace

std::string with_requirements(std::string_view metadata,
                              const std::map<std::string, std::string>& requirements) {
  std::string added;
  for (const auto& [name, text] : requirements)
    added += "Requires-Dist: " + text + '\n';
  return replaced(metadata, "requires-dist", added, [&](const std::string& value) {
    const auto one = read_requirement(value);
    return one && one->extra().empty() && requirements.contains(one->name);
  });
}

std::string with_tags(std::string_view text, const std::vector<std::string>& tags) {
  std::string added;
  for (const std::string& tag : tags)
    added += "Tag: " + tag + '\n';
  return replaced(text, "tag", added, [](const std::string&) { return true; });
}

} // namespace hostpin::wheel
