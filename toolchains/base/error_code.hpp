// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace hostpin {

/// The first text of each error that hostpin's programs print.
inline constexpr std::string_view error_prefix = "hostpin: error: ";

struct ErrorCode {
  ErrorKind kind;
  std::string_view code;
};

/// The codes that messages end with, as in `... does not fit CUDA 12.4 [no-fit]`. Users and `hostpin matrix`
/// rely on them: docs/errors.md lists them, and they do not change.
inline constexpr ErrorCode error_codes[] = {
    {ErrorKind::disk_full, "disk-full"},
    {ErrorKind::unreachable, "unreachable"},
    {ErrorKind::unavailable, "unavailable"},
    {ErrorKind::no_answer, "no-answer"},
    {ErrorKind::no_fit, "no-fit"},
    {ErrorKind::link_proof, "link-proof"},
    {ErrorKind::lto, "lto"},
};

/// Empty for `other`.
constexpr std::string_view code_of(ErrorKind kind) {
  for (const ErrorCode& each : error_codes)
    if (each.kind == kind)
      return each.code;
  return {};
}

/// `other` if there is no such code.
constexpr ErrorKind kind_of_code(std::string_view code) {
  for (const ErrorCode& each : error_codes)
    if (each.code == code)
      return each.kind;
  return ErrorKind::other;
}

/// The message with the code of its kind at the end of the first line; messages have further lines for lists.
inline std::string with_code(std::string_view message, ErrorKind kind) {
  std::string text(message);
  if (const std::string_view code = code_of(kind); !code.empty())
    text.insert(std::min(text.find('\n'), text.size()), " [" + std::string(code) + ']');
  return text;
}

/// The kind of the error of which a line of a log is the first one; `other` if it is none, or has no code.
constexpr ErrorKind kind_in_line(std::string_view line) {
  const std::size_t end = line.find_last_not_of(" \t\r");
  const std::size_t begin = line.rfind('[');
  if (line.find(error_prefix) >= begin || begin == std::string_view::npos || line[end] != ']')
    return ErrorKind::other;
  return kind_of_code(line.substr(begin + 1, end - begin - 1));
}

} // namespace hostpin
