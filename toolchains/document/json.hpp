// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/document/value.hpp"

namespace hostpin::document {

/// Levels of arrays and objects in each other. A manifest has 4, a feature manifest 7.
inline constexpr std::size_t deepest_json = 64;

/// Bytes of a manifest, lock, feature manifest or list of releases that are read at most.
inline constexpr std::size_t largest_document = std::size_t{64} << 20U;

/// Values in one text. A lock of 100,000 archives has 1.1 million; each takes about 150 bytes, and up to a
/// kilobyte if a rule objects to it.
inline constexpr std::size_t most_json_values = 2'000'000;

/// Parses one JSON text (RFC 8259, without a byte order mark) with at most `most` values, and nothing after
/// it.
tl::expected<Value, Problem> parse_json(std::string_view content, std::size_t most = most_json_values);

} // namespace hostpin::document
