// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/document/value.hpp"
#include "toolchains/redist/rules.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace hostpin::redist {

using document::Position;

/// Something that a rule objects to.
struct Finding {
  Rule rule = Rule::not_json;
  Severity severity = Severity::error;
  std::string file;    ///< as it was named, or a path below a tree
  Position at;         ///< in `file`; zeros if it is not text
  std::string package; ///< empty if it is about the file as a whole
  std::string platform;
  std::string
      subject; ///< the value, path or name that is wrong; identifies the finding in its file and package
  std::string explanation; ///< of this case: what is there, and what was expected
  std::string fix;         ///< of this case; empty: the rule's
  Position entry = {};     ///< of the archive or listed release that it is about; zeros: of none, or several

  bool operator==(const Finding&) const = default;
};

/// A finding with the severity of its rule.
Finding finding(Rule rule, std::string file, Position at, std::string subject, std::string explanation);

/// 16 hexadecimal digits over rule, the file's last two names, package, platform and subject: stays the same
/// if lines move.
std::string fingerprint(const Finding& finding);

/// By file, position and rule, each once.
void sort(std::vector<Finding>& findings);

std::optional<Severity> most_severe(const std::vector<Finding>& findings);

} // namespace hostpin::redist
