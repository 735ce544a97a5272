// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hostpin {

/// One input as a linker command names it.
struct NamedInput {
  std::string name;           ///< a path; with `library`, what stands behind -l (`m`, `:libm.so.6`)
  bool library = false;       ///< to be searched for
  bool shared = true;         ///< -Bdynamic holds here
  bool whole_archive = false; ///< every member is taken
  std::size_t group = 0;      ///< inputs of one --start-group share a number; 0 is outside of any
  bool symbols = false;       ///< --just-symbols or -R: an input as others if it is a file, else a run path
  bool run_path = false;      ///< -R: to lld a run path, whatever it names
  bool lazy = false;          ///< behind --start-lib: an object is taken as a member of an archive is
  bool script = false;        ///< named by -T, which is read before all else
  bool data = false; ///< behind -b binary: put into the output byte by byte, unless a plugin takes it
};

/// What a link makes of symbols that nothing defines.
enum class Undefined {
  by_output, ///< an executable fails, a shared library and -r leave them open
  fails,     ///< -z defs and its like
  passes,    ///< --unresolved-symbols=ignore-all and its like
};

/// What of a linker's command decides which bitstreams it takes and how.
struct LinkWords {
  std::string program;                  ///< as the command names it
  std::string sysroot;                  ///< empty when there is none
  std::string emulation;                ///< -m
  std::vector<std::string> directories; ///< -L, in order, the sysroot put in place of a leading `=`
  std::vector<NamedInput> inputs;       ///< in order
  std::vector<std::string> plugins;     ///< -plugin, in order
  std::vector<std::string> wanted;      ///< symbols that -u, -e and their like ask for
  std::vector<std::string> defined;     ///< by --defsym
  std::vector<std::string> wraps;       ///< --wrap
  bool renames = false;                 ///< an option asks for symbols that it does not name one by one
  std::string use_linker;               ///< -fuse-ld= in a command of collect2; empty for its default
  std::string lto_wrapper;              ///< GCC's, as the plugin is told of it
  bool shared = false;                  ///< makes a shared library
  bool relocatable = false;             ///< -r
  bool no_lto = false;                  ///< -fno-lto in a command of collect2
  bool fat_bitcode = false;             ///< lld's --fat-lto-objects
  Undefined undefined = Undefined::by_output;
  bool device_lto = false;         ///< nvlink's -dlto
  bool no_own_directories = false; ///< -nostdlib: libraries are in directories of -L only
};

/// Reads the words of a GNU ld, gold, lld, mold, collect2 or nvlink command, its own name first, response
/// files already in place.
LinkWords link_words(std::span<const std::string> words);

} // namespace hostpin
