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

/// Which standard libraries a link names.
enum class StandardLibraries {
  unseen, ///< no link is shown
  none,   ///< not even the C library: the user supplies both
  c,      ///< only the C library, by -lc, as in a C driver's link
  cxx,    ///< a C++ library after the objects: by -l, or as a file of that name
};

/// The arguments that a driver passes to the linker, as its `-###` shows them.
struct LinkLine {
  std::string loader;                           ///< -dynamic-linker, the last one; empty if there is none
  std::string sysroot;                          ///< --sysroot, the last one; empty for none, and for `/`
  std::vector<std::string> library_directories; ///< -L, in order
  std::vector<std::string> run_paths;           ///< -rpath, in order, split at colons
  StandardLibraries libraries = StandardLibraries::unseen;
};

/// Extracts the linker command from the output of `driver -###`: the last command that names a loader, else
/// the last of a program with a linker's name. Empty if there is none.
LinkLine link_line(std::string_view text);

/// The linker's -m for a target triple, such as `elf_x86_64`; empty if unknown.
std::string emulation_of(std::string_view triple);

/// The kind of file that a linker's -m requires; nothing if it is unknown.
std::optional<binary::ElfKind> kind_of_emulation(std::string_view emulation);

/// The linker's arguments in the output of `driver -###`; empty if it shows no link.
std::vector<std::string> shown_linker_words(std::string_view text);

/// A library that a link uses.
struct LinkedLibrary {
  std::string found;                          ///< as the search finds it, scripts not yet followed
  std::string path;                           ///< the file itself, scripts followed and symlinks resolved
  std::optional<binary::SharedObject> object; ///< nothing for an archive, which is linked into the program
};

/// The result of the search for one library.
struct LibrarySearch {
  /// Nothing if the command names no such library. An error if it does and the library is not found, or the
  /// file is not a library.
  Result<std::optional<LinkedLibrary>> library;
  std::vector<std::string>
      dependencies; ///< directories searched and files read, existing or not, whatever the result
};

/// The file that GNU ld would use for the first input of the command that is named `name`, such as `stdc++`:
/// directories in order, in each the shared library or script before the archive, skipping files of another
/// kind.
LibrarySearch linked_library(const Files& files, const cmdline::LinkerCommand& command,
                             std::string_view name);

} // namespace hostpin
