// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::document {

/// A position in a text file, both from 1; the column counts bytes. Zeros: no position.
struct Position {
  unsigned line = 0;
  unsigned column = 0;

  auto operator<=>(const Position&) const = default;
};

struct Member;

/// A value of JSON or TOML with its position. Other than in common document models all members of an object
/// are there, also those with the same key: a checker has to report which of them a reader takes.
struct Value {
  enum class Kind {
    null, ///< also a TOML float, date or time, which no file of hostpin has
    boolean,
    number,
    string,
    array,
    object, ///< a table of TOML
  };

  Kind kind = Kind::null;
  std::string text;            ///< of a string, decoded; of a number, as in JSON, or in decimal digits
  bool truth = false;          ///< of a boolean
  std::vector<Value> items;    ///< of an array
  std::vector<Member> members; ///< of an object, in the order of the file
  Position at;

  /// The first member with this key; null if there is none.
  const Member* member(std::string_view key) const;
  /// Its value.
  const Value* find(std::string_view key) const;
  /// The value of a whole number of 64 bits, with and without a sign; nothing for others.
  std::optional<std::int64_t> integer() const;
  std::optional<std::uint64_t> natural() const;
};

struct Member {
  std::string key;
  Position at; ///< of the key
  Value value;
};

/// `object`, `string` and such, for messages.
std::string_view to_string(Value::Kind kind);

/// A mistake in a document.
struct Problem {
  std::string what;
  Position at;
};

/// The message `path:line:column: what`.
Error error_at(const std::string& path, const Problem& problem, std::string hint = {});

/// Text from a file, in backquotes, with control characters as `\x1b`, so that it cannot control a terminal.
std::string quoted(std::string_view text);

/// Whether it is a digest of `digits` lower-case hexadecimal digits.
bool is_hex_digest(std::string_view text, std::size_t digits);

} // namespace hostpin::document
