// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/binary/elf.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// A library that a linker command asks for.
struct LinkInput {
  std::string name; ///< `stdc++` of -lstdc++, `:libx.so.6` of -l:libx.so.6, else a path
  bool is_path = false;
  bool shared = true; ///< -Bdynamic holds where it stands, so a shared library is taken before an archive
};

/// What decides which libraries a linker takes.
struct LinkCommand {
  std::vector<std::string> directories; ///< -L, in order; with the sysroot put in place of a leading `=`
  std::string sysroot;                  ///< empty when there is none
  std::string emulation;                ///< -m, such as `elf_x86_64`
  std::string loader;                   ///< -dynamic-linker, the last one
  std::vector<LinkInput> inputs;        ///< in order
};

/// Reads the words of a GNU ld, gold, lld or mold command, its own name first.
LinkCommand link_command(std::span<const std::string> words);

/// The linker's -m for a target triple, such as `elf_x86_64`; empty when it is not known.
std::string emulation_of(std::string_view triple);

/// The linker's words in what a driver prints for `-###`; empty when it shows no link.
std::vector<std::string> shown_linker_words(std::string_view text);

/// One library as a link takes it.
struct LinkedLibrary {
  std::string found;                  ///< as the search finds it, scripts not yet followed
  std::string path;                   ///< the file itself, scripts followed and symlinks resolved
  std::optional<SharedObject> object; ///< nothing for an archive, which becomes a part of the program
};

/// How the search for one library went.
struct LibrarySearch {
  /// Nothing when the command asks for no such library. An error when it asks in vain, or takes a file that
  /// is no library.
  Result<std::optional<LinkedLibrary>> library;
  std::vector<std::string>
      rests_on; ///< directories looked into and files read, there or not, whatever came of it
};

/// What the command takes for the first of its inputs that is named `name`, such as `stdc++`, as GNU ld would
/// find it: directories in order, in each the shared library or script before the archive, passing over files
/// of another kind.
LibrarySearch linked_library(const Files& files, const LinkCommand& command, std::string_view name);

} // namespace hostpin
