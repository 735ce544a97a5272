// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin {

/// By name.
using Variables = std::map<std::string, std::string, std::less<>>;

/// Bytes that a value may have: what is made of variables ends there.
inline constexpr std::size_t longest_value = 65536;

/// Bytes that a name may have, of a variable or of what a path is for (`IMPORTED_LOCATION_RELEASE`): real
/// ones are far shorter.
inline constexpr std::size_t longest_key = 256;

/// With each `${NAME}` that is known replaced by its value; what is not stays as it is.
std::string replaced(std::string_view value, const Variables& variables);

/// A pkg-config file, read line by line.
class PkgConfig {
public:
  /// `directory`: of the file, which is `${pcfiledir}` in it unless it says otherwise; empty: not known.
  explicit PkgConfig(std::string directory = {});

  struct Entry {
    std::string key;   ///< a field (`Libs`) or a variable (`libdir`); as long as it stands
    std::string value; ///< with the variables before it replaced; what is not known stays as it is
  };

  /// Nothing for a line that sets nothing. Variables whose names are longer than `longest_key` are not kept.
  std::optional<Entry> line(std::string_view text);
  /// As they are behind the last line.
  const Variables& variables() const { return variables_; }

private:
  Variables variables_;
};

} // namespace hostpin
