// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/report/report.hpp"

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace hostpin {

/// Writes a JSON document of any length from values that are small: laid out as if it had been there as a
/// whole, with two blanks for each level.
class JsonStream {
public:
  using Value = nlohmann::ordered_json;

  /// Keeps a reference.
  explicit JsonStream(const Write& write) : write_(write) {}

  /// An object or an array, until its `close`; `name`: within an object.
  void open(char bracket, std::string_view name = {});
  void close(char bracket);
  void member(std::string_view name, const Value& value);
  void element(const Value& value) { member({}, value); }

  /// Whether all was written so far; what comes behind a failure is not.
  bool is_well() const { return well_; }

private:
  void begin(std::string_view name);
  void put(std::string_view text) { well_ = well_ && write_(text); }
  static std::string line(std::size_t depth) { return '\n' + std::string(2 * depth, ' '); }

  const Write& write_;
  std::size_t depth_ = 0;
  bool first_ = true; ///< nothing stands in the innermost object or array yet
  bool well_ = true;
};

} // namespace hostpin
