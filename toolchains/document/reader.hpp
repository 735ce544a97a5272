// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/document/toml.hpp"

#include <set>
#include <utility>

namespace hostpin::document {

/// Reads a table member by member. The first error is stored, later ones are ignored, and a member that was
/// not read is an error as well: `finish` reports it.
class Reader {
public:
  Reader(std::string path, const Value& table) : path_(std::move(path)), table_(table) {}

  const Member* member(std::string_view key);
  /// Marks a member as required; its absence is reported at the table's position.
  void require(std::string_view key);
  /// A string that is not empty and contains no NUL byte.
  std::optional<std::string> string(std::string_view key);
  /// The same of a required member; empty if it is absent or no such string, which is an error.
  std::string required(std::string_view key);
  std::optional<bool> boolean(std::string_view key);
  std::vector<std::string> strings(std::string_view key);
  /// The same of a required member.
  std::vector<std::string> required_strings(std::string_view key);
  /// A whole number from 0 to 1000; `otherwise` if the member is absent.
  int number(std::string_view key, int otherwise);
  /// `[6, 13]`: two integers from 0 to 999999, the first not above the second.
  std::optional<std::pair<int, int>> range(std::string_view key);
  /// The value if it is an array of tables (`[[key]]`), else null.
  const std::vector<Value>* tables(std::string_view key);
  const Value* table(std::string_view key);

  /// Appends to `into` what `take` makes of each table of the array `[[key]]`, up to the first error, which
  /// is stored. A member that `take` did not read is an error with `hint`, which names those that there are.
  template <typename Row, typename Take>
  void rows(std::string_view key, const std::string& hint, std::vector<Row>& into, Take take) {
    if (const std::vector<Value>* const all = tables(key))
      for (const Value& table : *all) {
        Reader row(path_, table);
        Row taken = take(row);
        if (!adopt(row.finish(hint)))
          return;
        into.push_back(std::move(taken));
      }
  }

  /// Stores the error `path:line:column: what` unless there is one already.
  void refuse(Position at, const std::string& what, std::string hint = {});
  void refuse(std::string_view key, const std::string& what, std::string hint = {});

  /// Stores the error of a nested table, as `refuse` would; whether there is none.
  bool adopt(const Result<void>& finished);

  const std::string& path() const { return path_; }
  Result<void> finish(const std::string& hint = {});

private:
  bool is_string(const Value& value, std::string_view key);

  std::string path_;
  const Value& table_;
  std::set<std::string, std::less<>> asked_;
  std::optional<Error> error_;
};

/// Reads a TOML file with `take`, which gets its Reader. `hint`: for a key that `take` did not read.
template <typename Take>
Result<void> read_tables(const Files& files, const std::string& path, const std::string& hint, Take take) {
  TRY_ASSIGN(const Value content, read_toml(files, path));
  Reader document(path, content);
  take(document);
  return document.finish(hint);
}

} // namespace hostpin::document
