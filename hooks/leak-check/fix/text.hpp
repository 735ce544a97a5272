// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/judge/policy.hpp"
#include "hooks/leak-check/scan/scanned_file.hpp"
#include "toolchains/base/files.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::leak {

/// A line that was changed.
struct LineChange {
  std::size_t line = 0; ///< from 1
  std::string before, after;

  bool operator==(const LineChange&) const = default;
};

/// Something unwanted that was not changed.
struct LineLeft {
  std::size_t line = 0; ///< from 1
  std::string word;     ///< that contains it
  std::string reason;   ///< a clause without a full stop

  bool operator==(const LineLeft&) const = default;
};

/// The fixed text. No line is added or removed.
struct FixedText {
  std::string text;
  std::vector<LineChange> changes;
  std::vector<LineLeft> left; ///< by line
};

/// The unwanted paths that may be removed: those of findings in this file.
using UnwantedRows = std::set<const UnwantedPath*>;

/// A pkg-config file, libtool archive or CMake file without the search directories and run paths that lead to
/// `rows` of `unwanted`, and with `-lstdc++` and `-lgcc_s` instead of files of those libraries there. A
/// directory is not removed if a library that the text links by name is in it and in no other that the text
/// names, or may be because the directory does not exist here. Whatever is not certain is reported, not
/// changed. Idempotent. `directory`: of the file, for `${pcfiledir}`; empty: not known.
FixedText fixed_text(TextFacts::Kind kind, std::string_view text, const Unwanted& unwanted,
                     const UnwantedRows& rows, const Files& files, std::string directory = {});

} // namespace hostpin::leak
