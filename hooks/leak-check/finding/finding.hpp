// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/rules.hpp"
#include "toolchains/fatbin/holding.hpp"
#include "toolchains/loader/refused.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::leak {

/// Where something was found. Names are bytes as in the file system or the archive, in any encoding.
struct Location {
  std::string path; ///< below the scanned tree, or as the file was named
  std::vector<std::string>
      member;          ///< from the outermost archive or compressed file inwards; empty for the file itself
  std::string section; ///< of an ELF file, `.dynamic` and such; a text file's kind (`pkg-config`); or empty
  std::optional<std::uint64_t> offset; ///< bytes from the beginning of the file or member
  /// The tree above `path`, as it was named, if several were scanned; empty if one was, and for a file
  /// that was named itself.
  std::string tree = {};

  bool operator==(const Location&) const = default;
};

/// Tree and path: unique among several trees.
std::string whole_path(const Location& location);

/// `lib/libx.a(y.o)`, after the tree if there is one, in a form that is safe on a terminal.
std::string shown(const Location& location);

/// Something that a rule objects to.
struct Finding {
  Rule rule = Rule::forbidden_runpath;
  Severity severity = Severity::error;
  Location where;
  std::string reference;   ///< what was found: a path, a library's name, a symbol version
  std::string resolved;    ///< what the loader would load, or would have to find; empty if there is none
  std::string explanation; ///< of this case, in addition to the rule's; may be empty
  std::string fix;         ///< of this case; empty: the rule's

  bool operator==(const Finding&) const = default;
};

/// What `resolved` is: `would be loaded`, `leads to` for a path that no loader follows, or `is at` for a file
/// that the loader does not find.
std::string_view resolution(const Finding& finding);

/// 16 hexadecimal digits over rule, location (without the offset) and reference: the same finding after a
/// rebuild has the same fingerprint. A tree counts without the hash of a store path, which differs
/// then.
std::string fingerprint(const Finding& finding);

/// Of a file that the loader refuses.
Finding finding_of(const loader::Verdict& verdict, Location where, std::string_view file_name);

/// Something that should have been scanned and could not be.
struct Unseen {
  Location where;
  std::string reason;
};

/// The result of a scan.
struct Findings {
  std::vector<Finding> found;
  std::vector<Unseen> unseen;
  std::uint64_t files = 0;          ///< scanned
  std::uint64_t bytes = 0;          ///< of their content, as stored
  fatbin::Holding device_code = {}; ///< in their fatbins; empty if those were not opened

  /// The most severe first, then by location, each finding once: the order does not depend on the number
  /// of threads.
  void sort();
  std::size_t count(Severity severity) const;
  /// Nothing if nothing was found.
  std::optional<Severity> most_severe() const;
};

} // namespace hostpin::leak
