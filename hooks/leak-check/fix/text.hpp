// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/policy/policy.hpp"
#include "hooks/leak-check/scan/scanned_file.hpp"
#include "toolchains/base/files.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// A line that should read otherwise.
struct LineChange {
  std::size_t line = 0; ///< from 1
  std::string before, after;

  bool operator==(const LineChange&) const = default;
};

/// Something unwanted that stays.
struct LineLeft {
  std::size_t line = 0; ///< from 1
  std::string word;     ///< that it stands in
  std::string reason;   ///< a clause without a full stop

  bool operator==(const LineLeft&) const = default;
};

/// What a text should be. No line is added or taken away.
struct MendedText {
  std::string text;
  std::vector<LineChange> changes;
  std::vector<LineLeft> left; ///< by line
};

/// The unwanted paths that may be taken out: those that findings of this very file are about.
using UnwantedRows = std::set<const UnwantedPath*>;

/// A pkg-config file, libtool archive or CMake file without the search directories and run paths that lead to
/// `rows` of `unwanted`, and with `-lstdc++` and `-lgcc_s` instead of a file of those there. A directory
/// stays when a library that the text links by name lies in it and in no other that the text names, or may do
/// so because that directory is not here to be looked at. All that is not certain stays, and is told. The
/// same text again when that is given. `directory`: of the file, for `${pcfiledir}`; empty: not known.
MendedText mended_text(TextFacts::Kind kind, std::string_view text, const Unwanted& unwanted,
                       const UnwantedRows& rows, const Files& files, std::string directory = {});

} // namespace hostpin
