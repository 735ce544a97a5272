// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "wrapper/matrix/cells.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::matrix {

/// Bytes of a result, a list of inputs or a log that are read at most.
inline constexpr std::size_t largest_file = std::size_t{64} << 20;

/// How a cell ended.
enum class State {
  passed,
  failed,
  cannot,  ///< no binding is possible, as decided without running
  lost,    ///< it is not known: killed, no space, no memory, no machine; to be run again
  missing, ///< there is no result
  noise,   ///< with the same key it failed and passed
};

/// `passed`, `failed`, `cannot`, `lost`, `missing`, `noise`.
std::string_view to_string(State state);

/// Why it ended so.
struct Cause {
  /// Of `causes`: `gate`, `link-proof`, ...; empty: it passed.
  std::string kind;
  std::string stage; ///< `bind`, `configure`, `build`, `scan`, `test`
  std::string text;  ///< the first line that shows it, with `$SOURCE` and `$WORK` for directories
  std::string fix;   ///< what to do about it; may be empty

  bool operator==(const Cause&) const = default;
};

/// A finding of leak-check in what was built.
struct CellFinding {
  std::string rule, severity, path, fingerprint;

  bool operator==(const CellFinding&) const = default;
};

/// How large it is what was built.
struct CellSize {
  std::uint64_t bytes = 0; ///< of all installed files
  unsigned limit = 0;      ///< percent by which that may grow

  bool operator==(const CellSize&) const = default;
};

/// The result of a cell. It contains neither times nor names of machines: what is the same has the same
/// bytes, wherever it ran.
struct CellResult {
  Cell cell;
  State state = State::missing;
  Cause cause;
  std::string question, key;          ///< see key.hpp; empty if nothing ran
  std::vector<std::string> inputs;    ///< files with lists of inputs, next to the result: `inputs/SHA256`
  std::vector<std::string> uncertain; ///< why the key is that of the whole source
  std::vector<CellFinding> findings;
  std::string decision; ///< Decided::text
  std::vector<std::string>
      tests{}; ///< names of the test cases that failed, if the project has `junit`; sorted
  std::optional<CellSize> size{};
};

std::string result_json(const CellResult& result);
/// An error if it is not a result of this release. `of`: for messages, the file.
Result<CellResult> read_result(std::string_view json, const std::string& of);

} // namespace hostpin::matrix
