// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin {

/// By name.
using Variables = std::map<std::string, std::string, std::less<>>;

/// Bytes that a value may have after expansion.
inline constexpr std::size_t longest_value = 65536;

/// Limit for names of variables and properties (`IMPORTED_LOCATION_RELEASE`): real ones are far shorter.
inline constexpr std::size_t longest_key = 256;

/// Replaces each `${NAME}` that is known by its value.
std::string replaced(std::string_view value, const Variables& variables);

/// A pkg-config file, read line by line.
class PkgConfig {
public:
  /// `directory`: of the file, for `${pcfiledir}` unless the file sets it; empty: not known.
  explicit PkgConfig(std::string directory = {});

  struct Entry {
    std::string key;   ///< a field (`Libs`) or a variable (`libdir`), of any length
    std::string value; ///< with known variables replaced
  };

  /// Nothing for a line that sets nothing. Variables with names longer than `longest_key` are not stored.
  std::optional<Entry> line(std::string_view text);
  /// As they are after the last line.
  const Variables& variables() const { return variables_; }

private:
  Variables variables_;
};

} // namespace hostpin
