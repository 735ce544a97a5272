// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/binary/elf.hpp"
#include "toolchains/cmdline/linker_command.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::lto {

/// A file that a link reads.
struct LinkFile {
  std::string path;                  ///< as the linker opens it
  bool whole_archive = false;        ///< every member is used
  std::size_t group = 0;             ///< files of one --start-group, or of one script's GROUP, share a number
  bool run_path = false;             ///< named by -R, which lld treats as a run path
  bool lazy = false;                 ///< after --start-lib
  bool data = false;                 ///< after -b binary
  bool symbols = false;              ///< named for its symbols, by --just-symbols or -R
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
using KindOf = std::function<Seen(const std::string& path)>;

/// The files of a command, found as GNU ld finds them: -L directories in order, in each the shared library
/// before the archive, skipping files of another kind; linker scripts followed. Missing files are left out,
/// because every linker reports them. `kind_of` is called for every path that the command names, and for the
/// files found for its libraries; `own_directories`, which the linker searches after the directories of -L,
/// once, if an input is in none of these.
std::vector<LinkFile> link_files(const cmdline::LinkerCommand& words, const Files& files,
                                 const KindOf& kind_of,
                                 const std::function<std::vector<std::string>()>& own_directories = {});

/// The kind of an ELF file, or of an archive's first ELF member, from its first bytes; nothing if they do not
/// show it. Opens regular files only.
std::optional<binary::ElfKind> kind_of_file(const std::string& path);

/// No linker script is longer, in bytes.
inline constexpr std::size_t longest_script = 65536;

/// Number of first bytes that are enough to recognize one.
inline constexpr std::size_t script_head = 16;

/// Whether a regular file of that size in bytes, whose first `script_head` are `head`, could be a linker
/// script: short, not empty, and not an object, archive or bitcode.
bool may_be_script(std::string_view head, std::uint64_t size);

/// Whether a text begins as a linker script does, with a command or an assignment; also if it is empty.
bool is_script(std::string_view text);

/// The symbols that a linker script refers to.
struct ScriptSymbols {
  std::vector<std::string> wanted; ///< from EXTERN, and from an assignment whose value is a single symbol
  bool doubtful = false; ///< some are in commands where linkers differ: PROVIDE, ENTRY, functions, ...
};

/// Measured with GNU ld 2.40, gold and lld 14 and 19: `a = b;` and EXTERN pull in members with all of them,
/// PROVIDE does not with GNU ld and later lld, ENTRY does with lld only.
ScriptSymbols script_symbols(std::string_view text);

} // namespace hostpin::lto
