// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <functional>
#include <llvm/ADT/IntrusiveRefCntPtr.h>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clang {
class CompilerInstance;
} // namespace clang

namespace llvm::vfs {
class FileSystem;
}

namespace hostpin::probe {

/// A piece of C++ that Clang reads as another compiler would.
struct SourceText {
  std::string name; ///< absolute; it need not exist
  std::string text;
  std::vector<std::string> arguments; ///< of Clang's -cc1: nothing about this machine is added to them
  std::vector<std::pair<std::string, std::string>> memory; ///< more files that need not exist: path, text
  /// Missing includes that are skipped; all others are fatal.
  std::function<bool(std::string_view)> may_lack = [](std::string_view /*name*/) { return false; };
};

/// An error that Clang reported.
struct Mistake {
  std::string file; ///< empty if it has no location
  unsigned line = 0;
  std::string text;
  unsigned id = 0;      ///< Clang's number of the diagnostic
  bool lexical = false; ///< of the preprocessor: an #error, a missing #endif, ...
  bool fatal = false;   ///< nothing after it is reliable
};

/// `file:line: text`, or the text alone.
std::string to_string(const Mistake& mistake);

struct Parsed {
  std::vector<Mistake> mistakes;   ///< errors, the first thousands; Clang continues after most
  std::set<std::string> files;     ///< files on disk that were opened, absolute, as they were named
  std::vector<std::string> lacked; ///< missing includes that were skipped
};

/// Parses declarations; function bodies are skipped. `visit` is called while the tree, the preprocessor and
/// the source manager exist. Only regular files are opened. An error if Clang does not accept the arguments.
using ParsedVisitor =
    std::function<void(const clang::CompilerInstance& compiler, const std::vector<Mistake>& mistakes)>;
Result<Parsed> parse(const SourceText& source, const ParsedVisitor& visit);

/// `all` with only regular files and directories: opening a pipe or a device that is named like a header
/// would block the reader forever. Such paths do not exist for the reader.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
plain_files(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> all);

} // namespace hostpin::probe
