// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clang {
class CompilerInstance;
} // namespace clang

namespace hostpin {

/// A piece of C++ that Clang reads as another compiler would.
struct SourceText {
  std::string name; ///< absolute; it need not exist
  std::string text;
  std::vector<std::string> arguments; ///< of Clang's -cc1: nothing of this machine is added to them
  std::vector<std::pair<std::string, std::string>> memory; ///< more files that need not exist: path, text
  /// Includes that no directory has and that are passed over; all others are fatal.
  std::function<bool(std::string_view)> may_lack = [](std::string_view /*name*/) { return false; };
};

/// Something that Clang could not make sense of.
struct Mistake {
  std::string file; ///< empty when it has no place
  unsigned line = 0;
  std::string text;
  unsigned id = 0;      ///< Clang's number of the diagnostic
  bool lexical = false; ///< of the preprocessor: an #error, an #endif that is missing, ...
  bool fatal = false;   ///< nothing behind it can be relied on
};

/// `file:line: text`, or the text alone.
std::string to_string(const Mistake& mistake);

struct Parsed {
  std::vector<Mistake> mistakes;   ///< errors, the first thousands; Clang goes on after most
  std::set<std::string> files;     ///< those of the disk that were opened, absolute, as they were named
  std::vector<std::string> lacked; ///< includes that were passed over
};

/// Parses declarations; bodies of functions are skipped. `look` sees the tree, the preprocessor and the
/// source manager before they are gone. Only regular files are opened. An error when the arguments make no
/// sense to Clang.
using Look =
    std::function<void(const clang::CompilerInstance& compiler, const std::vector<Mistake>& mistakes)>;
Result<Parsed> parse(const SourceText& source, const Look& look);

} // namespace hostpin
