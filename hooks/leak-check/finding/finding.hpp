// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/rules.hpp"
#include "toolchains/fatbin/holding.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// Where something stands. Names are bytes as the file system or the archive has them, in any encoding.
struct Location {
  std::string path; ///< below the scanned tree, or as the file was named
  std::vector<std::string>
      member;          ///< from the outermost archive or compressed file inwards; empty for the file itself
  std::string section; ///< of an ELF file, `.dynamic` and such; a text file's kind (`pkg-config`); or empty
  std::optional<std::uint64_t> offset; ///< bytes from the beginning of the file or member
  /// That `path` is below, as it was named, where several were scanned; empty where one was, and for a file
  /// that was named itself.
  std::string tree = {};

  bool operator==(const Location&) const = default;
};

/// Tree and path: what tells files of several trees apart.
std::string whole_path(const Location& location);

/// `lib/libx.a(y.o)` with the tree before it if there is one, and with what a terminal cannot show, or would
/// obey, escaped as in C strings: control characters, C1 among them, what changes the direction of
/// writing or is invisible, and what is no UTF-8.
std::string shown(const Location& location);

/// Something that a rule objects to.
struct Finding {
  Rule rule = Rule::forbidden_runpath;
  Severity severity = Severity::error;
  Location where;
  std::string reference;   ///< what was found: a path, a library's name, a symbol version
  std::string resolved;    ///< what the loader would load, or would have to find; empty where there is none
  std::string explanation; ///< of this very case; empty: the rule's own says it all
  std::string cure;        ///< of this very case; empty: the rule's own

  bool operator==(const Finding&) const = default;
};

/// What `resolved` is: `would be loaded`, `leads to` of a path that no loader follows, or `is at` of what it
/// does not take.
std::string_view resolution(const Finding& finding);

/// 16 hexadecimal digits over rule, place (without the offset) and reference: the same finding after a
/// rebuild has the same fingerprint. A tree counts without the hash of a store path, which is another one
/// then.
std::string fingerprint(const Finding& finding);

/// Something that should have been looked at and could not be.
struct Unseen {
  Location where;
  std::string reason;
};

/// The result of a scan.
struct Findings {
  std::vector<Finding> found;
  std::vector<Unseen> unseen;
  std::uint64_t files = 0;  ///< looked at
  std::uint64_t bytes = 0;  ///< of their content, as stored
  Holding device_code = {}; ///< in their fatbins; empty where those were not opened

  /// The most severe first, then by location, each finding once: the same tree gives the same order however
  /// it was divided among threads.
  void sort();
  std::size_t count(Severity severity) const;
  /// Nothing when nothing was found.
  std::optional<Severity> most_severe() const;
};

} // namespace hostpin
