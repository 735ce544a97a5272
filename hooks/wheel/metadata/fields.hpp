// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::wheel {

/// A header of METADATA or WHEEL.
struct Field {
  std::string name;  ///< in lower case: `requires-dist`
  std::string value; ///< without surrounding blanks; continuation lines are joined by a newline
};

/// Reads the headers of METADATA or WHEEL, which have the form of RFC 822: the body, after the first empty
/// line, is not read. Lines that are no headers are skipped. At most 65536 fields.
std::vector<Field> read_fields(std::string_view text);

/// The first field of that name (in lower case); nothing if there is none.
std::optional<std::string> value_of(const std::vector<Field>& fields, std::string_view name);
/// All of them, in order.
std::vector<std::string> values_of(const std::vector<Field>& fields, std::string_view name);

} // namespace hostpin::wheel
