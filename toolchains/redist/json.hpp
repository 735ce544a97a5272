// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::redist {

/// A position in a text file, both from 1; the column counts bytes. Zeros: no position.
struct Position {
  unsigned line = 0;
  unsigned column = 0;

  auto operator<=>(const Position&) const = default;
};

struct JsonMember;

/// A JSON value with its position. Other than in common document models all members of an object are there,
/// also those with the same key: which of them a reader takes is what a checker has to report.
struct JsonValue {
  enum class Kind { null, boolean, number, string, array, object };

  Kind kind = Kind::null;
  std::string text;                ///< of a string, decoded; of a number, as in the file
  bool truth = false;              ///< of a boolean
  std::vector<JsonValue> items;    ///< of an array
  std::vector<JsonMember> members; ///< of an object, in the order of the file
  Position at;

  /// The value of the first member with this key; null if there is none.
  const JsonValue* find(std::string_view key) const;
};

struct JsonMember {
  std::string key;
  Position at; ///< of the key
  JsonValue value;
};

/// `object`, `string` and such, for messages.
std::string_view to_string(JsonValue::Kind kind);

/// Levels of arrays and objects in each other. A manifest has 4, a feature manifest 7.
inline constexpr std::size_t deepest_json = 64;

/// Bytes of a manifest, lock, feature manifest or list of releases that are read at most.
inline constexpr std::size_t largest_document = std::size_t{64} << 20U;

/// Values in one text. A lock of 100,000 archives has 1.1 million; each takes about 150 bytes, and up to a
/// kilobyte if a rule objects to it.
inline constexpr std::size_t most_json_values = 2'000'000;

/// Why a text is not JSON.
struct JsonError {
  std::string what;
  Position at;
};

/// Parses one JSON text (RFC 8259, without a byte order mark), and nothing after it.
tl::expected<JsonValue, JsonError> parse_json(std::string_view content);

} // namespace hostpin::redist
