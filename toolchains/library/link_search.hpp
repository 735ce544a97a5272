// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/binary/elf.hpp"
#include "toolchains/cmdline/linker_command.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// The linker's -m for a target triple, such as `elf_x86_64`; empty when it is not known.
std::string emulation_of(std::string_view triple);

/// What a linker's -m asks for; nothing for one that is not known.
std::optional<ElfKind> kind_of_emulation(std::string_view emulation);

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
LibrarySearch linked_library(const Files& files, const cmdline::LinkerCommand& command,
                             std::string_view name);

} // namespace hostpin
