// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/redist/json.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hostpin::redist {

/// Reads objects of a JSON file that hostpin wrote, so that all keys are known. The first error is stored,
/// reading goes on with empty values.
class ObjectReader {
public:
  /// `file` is named in errors, `hint` is their hint.
  ObjectReader(std::string file, std::string hint) : file_(std::move(file)), hint_(std::move(hint)) {}

  /// Stores the error `file:line:column: what`, unless there is one.
  void refuse(Position at, const std::string& what);

  /// Whether the value is an object; stores an error unless its keys are all among `known` (at most 64), each
  /// once.
  bool is_object(const JsonValue& value, std::initializer_list<std::string_view> known);

  /// Whether the member `schema` is this number; stores an error `this is not WHAT of schema NUMBER` if not.
  bool has_schema(const JsonValue& object, int number, std::string_view what);

  /// The value of a member, which is there and not empty.
  std::string string(const JsonValue& object, std::string_view key);

  /// The value of a member; empty if there is none.
  std::string optional_string(const JsonValue& object, std::string_view key);

  /// A SHA-256, 64 lower-case hexadecimal digits.
  std::string digest(const JsonValue& object, std::string_view key);

  /// The same; empty if there is none.
  std::string optional_digest(const JsonValue& object, std::string_view key);

  /// The value of a member that is a whole number from 0, of 64 bits; nothing if there is none. The error is
  /// `'KEY' is not WHAT`.
  std::optional<std::uint64_t> optional_number(const JsonValue& object, std::string_view key,
                                               std::string_view what);

  /// False if there is no such member.
  bool truth(const JsonValue& object, std::string_view key);

  /// The items of a member that is an array.
  const std::vector<JsonValue>& array(const JsonValue& object, std::string_view key);

  /// Those of an array of strings, none of which is empty.
  std::vector<std::string> strings(const JsonValue& object, std::string_view key);

  /// As it was given.
  const std::string& file() const { return file_; }

  /// The first error; nothing if there is none.
  const std::optional<Error>& error() const { return error_; }

private:
  std::string checked_digest(const JsonValue& object, std::string_view key, std::string text);

  std::string file_, hint_;
  std::optional<Error> error_;
};

} // namespace hostpin::redist
