// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/text.hpp"
#include "toolchains/redist/store/transfer.hpp"

#include <algorithm>
#include <charconv>

namespace hostpin::redist {

namespace {

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional<Number>(value)
                                                                  : std::nullopt;
}

bool is_same_name(std::string_view name, std::string_view lower) {
  return std::ranges::equal(name, lower, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

/// `bytes 100-199/200`
void add_range(ResponseHeaders& headers, std::string_view value) {
  constexpr std::string_view unit = "bytes ";
  const std::size_t dash = value.find('-'), slash = value.find('/');
  if (!value.starts_with(unit) || dash == std::string_view::npos || slash == std::string_view::npos)
    return;
  headers.range_start = number<std::uint64_t>(value.substr(unit.size(), dash - unit.size()));
  headers.range_total = number<std::uint64_t>(value.substr(slash + 1));
}

} // namespace

std::string ResponseHeaders::validator() const {
  return !etag.empty() && !etag.starts_with("W/") ? etag : modified;
}

void add_header(ResponseHeaders& headers, std::string_view line) {
  if (line.starts_with("HTTP/")) {
    const std::size_t space = line.find(' ');
    headers = {};
    if (space != std::string_view::npos)
      headers.status = number<int>(line.substr(space + 1, 3)).value_or(0);
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos)
    return;
  const std::string_view name = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
  if (is_same_name(name, "etag"))
    headers.etag = value;
  else if (is_same_name(name, "last-modified"))
    headers.modified = value;
  else if (is_same_name(name, "content-length"))
    headers.length = number<std::uint64_t>(value);
  else if (is_same_name(name, "content-range"))
    add_range(headers, value);
}

} // namespace hostpin::redist
