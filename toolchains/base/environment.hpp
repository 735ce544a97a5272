// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace hostpin {

/// The environment variables as one value, taken once in main and passed down; tests hand in a map.
class Environment {
public:
  using Variables = std::map<std::string, std::string, std::less<>>;

  Environment() = default;
  explicit Environment(Variables variables) : variables_(std::move(variables)) {}

  /// Reads a null-terminated `NAME=value` array such as main's third argument.
  static Environment from(const char* const* envp);

  /// The value, or nothing when the variable is unset or empty: an empty setting means "not set" everywhere
  /// here.
  std::optional<std::string> operator[](std::string_view name) const;

  const Variables& variables() const { return variables_; }

  /// How wide text for a person may be by COLUMNS; nothing where that does not say so.
  std::optional<std::size_t> columns() const;

private:
  Variables variables_;
};

} // namespace hostpin
