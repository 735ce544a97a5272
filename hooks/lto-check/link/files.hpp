// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/cmdline/linker_command.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace hostpin {

/// A file that a link reads.
struct LinkFile {
  std::string path;           ///< as the linker opens it
  bool whole_archive = false; ///< every member is used
  std::size_t group = 0;      ///< files of one --start-group, and those of one script's GROUP, share a number
  bool run_path = false;      ///< named by -R, which lld treats as a run path
  bool lazy = false;          ///< after --start-lib
  bool data = false;          ///< after -b binary
  bool symbols = false;       ///< named for its symbols, by --just-symbols or -R
  std::vector<std::string> wanted{}; ///< symbols that a script refers to by EXTERN or an assignment
  bool early = false;                ///< a script that is read before all other inputs
  bool doubtful =
      false; ///< a script with commands that other linkers interpret differently: PROVIDE, ENTRY, functions
};

/// The kind of file at a path.
enum class Seen {
  nothing, ///< or it is not accessible
  directory,
  text, ///< it could be a linker script: `may_be_script`
  other,
};
using Look = std::function<Seen(const std::string& path)>;

/// The files of a command, found as GNU ld finds them: -L directories in order, in each the shared library
/// before the archive, skipping files of another kind; linker scripts followed. Missing files are left out,
/// because every linker reports them. `look` is called for every path that the command names, and for the
/// files found for its libraries; `own_directories`, which the linker searches after those of -L, once, if an
/// input is in none of these.
std::vector<LinkFile> link_files(const cmdline::LinkerCommand& words, const Files& files, const Look& look,
                                 const std::function<std::vector<std::string>()>& own_directories = {});

} // namespace hostpin
