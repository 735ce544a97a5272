// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/report/exact.hpp"
#include "hooks/leak-check/report/shard.hpp"

#include <functional>
#include <string_view>

namespace hostpin {

/// Takes a member of a document; of one that is a list each element by itself, and at its end an empty list.
using TakePiece = std::function<Result<void>(std::string_view key, const ReportJson& value, bool is_element)>;

/// Reads a JSON document that is an object, of any length, in as much memory as its longest piece takes: one
/// above some megabytes, of more than some hundred thousand values, or nested deeper than any that is known,
/// is an error. Its message is to stand behind the report's name: `, byte 120, findings[3]: `. An error of
/// `take` ends it, and comes back with the place before its message if it has no hint.
Result<void> read_pieces(const ReadReport& read, const TakePiece& take);

} // namespace hostpin
