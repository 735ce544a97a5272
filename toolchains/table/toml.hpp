// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hostpin {

struct TomlMember;

/// One TOML value with its position in the file, for error messages.
struct TomlValue {
  enum class Kind { string, integer, boolean, array, table, other };

  Kind kind = Kind::other;
  std::string text;                ///< of a string
  std::int64_t number = 0;         ///< of an integer
  bool truth = false;              ///< of a boolean
  std::vector<TomlValue> items;    ///< of an array
  std::vector<TomlMember> members; ///< of a table, in the order of the file
  unsigned line = 0, column = 0;   ///< both from 1
};

struct TomlMember {
  std::string key;
  unsigned line = 0, column = 0; ///< of the key
  TomlValue value;
};

/// Parses TOML 1.0; the error is `path:line:column: what`. Nesting is limited to 256 levels.
Result<TomlValue> parse_toml(std::string_view content, const std::string& path);

/// Reads and parses a file of at most 1 MiB.
Result<TomlValue> read_toml(const Files& files, const std::string& path);

/// Reads a table member by member. The first error is stored, later ones are ignored, and a member that was
/// not read is an error as well: `finish` reports it.
class TomlReader {
public:
  TomlReader(std::string path, const TomlValue& table) : path_(std::move(path)), table_(table) {}

  const TomlMember* member(std::string_view key);
  /// Marks a member as required; its absence is reported at the table's position.
  void require(std::string_view key);
  /// A string that is not empty and contains no NUL byte.
  std::optional<std::string> string(std::string_view key);
  /// The same of a required member; empty if it is absent or no such string, which is an error.
  std::string required(std::string_view key);
  std::optional<bool> boolean(std::string_view key);
  std::vector<std::string> strings(std::string_view key);
  /// A whole number from 0 to 1000; `otherwise` if the member is absent.
  int number(std::string_view key, int otherwise);
  /// `[6, 13]`: two integers from 0 to 999999, the first not above the second.
  std::optional<std::pair<int, int>> range(std::string_view key);
  /// The value if it is an array of tables (`[[key]]`), else null.
  const std::vector<TomlValue>* tables(std::string_view key);
  const TomlValue* table(std::string_view key);

  /// Stores the error `path:line:column: what` unless there is one already.
  void refuse(unsigned line, unsigned column, const std::string& what, std::string hint = {});
  void refuse(std::string_view key, const std::string& what, std::string hint = {});

  /// Stores an error found in a nested table, as `refuse` would.
  void adopt(Error error);

  const std::string& path() const { return path_; }
  std::optional<Error> finish(const std::string& hint = {});

private:
  bool is_string(const TomlValue& value, std::string_view key);

  std::string path_;
  const TomlValue& table_;
  std::set<std::string, std::less<>> asked_;
  std::optional<Error> error_;
};

/// Text from a file, in backquotes, with control characters as `\x1b`, so that it cannot control a terminal.
std::string quoted(std::string_view text);

/// Appends to `rows` what `take` makes of each table of the array `[[key]]`, up to the first error, which is
/// returned too if a row has a member that `take` did not read; `hint` then says which there are.
template <typename Row, typename Take>
std::optional<Error> read_rows(TomlReader& document, std::string_view key, const std::string& hint,
                               std::vector<Row>& rows, Take take) {
  const std::vector<TomlValue>* const tables = document.tables(key);
  if (tables == nullptr)
    return std::nullopt;
  for (const TomlValue& table : *tables) {
    TomlReader row(document.path(), table);
    Row taken = take(row);
    if (auto error = row.finish(hint))
      return error;
    rows.push_back(std::move(taken));
  }
  return std::nullopt;
}

} // namespace hostpin
