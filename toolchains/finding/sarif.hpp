// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::finding {

struct SarifRule {
  std::string_view id, meaning;
  std::string_view fix;   ///< may be empty
  std::string_view level; ///< `error`, `warning` or `note`; empty: of each result
};

struct SarifResult {
  std::string rule;                 ///< its id; empty for a notification
  std::optional<std::size_t> index; ///< of the rule
  std::string level;                ///< as in `SarifRule`
  std::string message;
  std::string path;                    ///< of the file; empty: none
  std::optional<std::uint64_t> offset; ///< in the file
  unsigned line = 0, column = 0;       ///< in the file; 0: not known
  std::string name, kind;              ///< of the logical location, such as a member; empty: none
  std::string fingerprint;             ///< may be empty
};

struct SarifLog {
  std::string_view tool, version;
  std::vector<SarifRule> rules;
  std::vector<SarifResult> results;
  std::optional<std::vector<SarifResult>> notifications; ///< files that were not checked; none: not known
  int indent = 2;
  std::string_view schema =
      "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
};

/// SARIF 2.1.0, with a newline. Bytes that are not UTF-8 become U+FFFD.
std::string sarif_text(const SarifLog& log);

} // namespace hostpin::finding
