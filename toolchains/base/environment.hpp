// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace hostpin {

/// The environment variables as one value, read once in main and passed down; tests pass a map.
class Environment {
public:
  using Variables = std::map<std::string, std::string, std::less<>>;

  Environment() = default;
  explicit Environment(Variables variables) : variables_(std::move(variables)) {}

  /// Reads a null-terminated `NAME=value` array such as main's third argument.
  static Environment from(const char* const* envp);

  /// The value, or nothing if the variable is unset or empty: an empty value means "not set" everywhere in
  /// hostpin.
  std::optional<std::string> operator[](std::string_view name) const;

  const Variables& variables() const { return variables_; }

  /// The width for printed text given by COLUMNS; nothing if that is not a usable number.
  std::optional<std::size_t> columns() const;

private:
  Variables variables_;
};

} // namespace hostpin
