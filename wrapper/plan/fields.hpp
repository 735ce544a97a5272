// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/plan/plan.hpp"

#include <string>
#include <string_view>
#include <vector>

// The format that a plan and the files next to it share: `key=value` NUL for each field.

namespace hostpin {

void append_field(std::string& bytes, std::string_view key, std::string_view value);

/// Removes the first field and calls `take(key, value)`. False if there is no complete field, or if `take`
/// rejected it.
template <typename Take>
bool next_field(std::string_view& fields, const Take& take) {
  const std::size_t end = fields.find('\0');
  const std::string_view field = fields.substr(0, end);
  const std::size_t equals = field.find('=');
  if (end == std::string_view::npos || equals == std::string_view::npos)
    return false;
  fields.remove_prefix(end + 1);
  return take(field.substr(0, equals), field.substr(equals + 1));
}

/// The state of a file, under `file`, `directory` or `absent`.
void append_file_field(std::string& bytes, const PlanFile& file);

enum class FileField { taken, damaged, not_a_file };
/// Reads a field if it is one of those.
FileField read_file_field(std::string_view key, std::string_view value, std::vector<PlanFile>& files);

/// Removes and returns the text up to the next space; nothing if there is no space.
std::optional<std::string_view> take_word(std::string_view& text);

} // namespace hostpin
