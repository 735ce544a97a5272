// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace hostpin::cmdline {

/// One input as a linker command names it.
struct LinkerInput {
  std::string name;           ///< a path; with `library`, the text after -l (`m`, `:libm.so.6`)
  bool library = false;       ///< to be searched for
  bool shared = true;         ///< -Bdynamic applies here
  bool whole_archive = false; ///< every member is used
  std::size_t group = 0;      ///< inputs of one --start-group share a number; 0 is outside of any
  bool symbols = false;       ///< --just-symbols or -R: like other inputs if it is a file, else a run path
  bool run_path = false;      ///< -R: for lld a run path, whatever it names
  bool lazy = false;   ///< after --start-lib: an object is linked only if needed, like an archive member
  bool script = false; ///< named by -T, which is read before all other inputs
  bool data = false;   ///< after -b binary: copied into the output, unless a plugin claims it
};

/// How a link treats undefined symbols.
enum class Undefined {
  by_output, ///< an executable fails, a shared library and -r leave them open
  fails,     ///< -z defs and the like
  passes,    ///< --unresolved-symbols=ignore-all and the like
};

/// The parts of a linker's command that determine which files it reads, and how.
struct LinkerCommand {
  std::string program;                  ///< as the command names it
  std::string sysroot;                  ///< empty when there is none, and for `/`
  std::string emulation;                ///< -m
  std::vector<std::string> directories; ///< -L, in order, the sysroot in place of a leading `=`
  std::vector<std::string> run_paths;   ///< -rpath, in order, split at colons
  std::vector<LinkerInput> inputs;      ///< in order
  std::string loader;                   ///< -dynamic-linker, the last one
  std::vector<std::string> plugins;     ///< -plugin, in order
  std::vector<std::string> wanted;      ///< symbols named by -u, -e and the like
  std::vector<std::string> defined;     ///< by --defsym
  std::vector<std::string> wraps;       ///< --wrap
  bool renames = false;                 ///< an option refers to symbols that it does not name one by one
  std::string use_linker;               ///< -fuse-ld= in a collect2 command; empty for its default
  std::string lto_wrapper;              ///< GCC's, as passed to the plugin
  bool shared = false;                  ///< makes a shared library
  bool relocatable = false;             ///< -r
  bool no_lto = false;                  ///< -fno-lto in a collect2 command
  bool fat_bitcode = false;             ///< lld's --fat-lto-objects
  Undefined undefined = Undefined::by_output;
  bool device_lto = false;         ///< nvlink's -dlto
  bool no_own_directories = false; ///< -nostdlib: libraries are in directories of -L only
};

/// Parses the arguments of a GNU ld, gold, lld, mold, collect2 or nvlink command, starting with its name,
/// response files expanded.
LinkerCommand linker_command(std::span<const std::string> words);

/// The names under which a linker searches for an input in a directory: `libm.so` before `libm.a` for -lm,
/// and only `libm.a` under -Bstatic; `libm.so.6` for -l:libm.so.6, the name itself for a path.
std::vector<std::string> file_names(const LinkerInput& input);

/// The first of these names in the first directory that has one, as GNU ld finds it; empty if there is none.
/// `fits` returns false for a file that ld would skip as incompatible. `looked`, if given, gets each
/// directory that was searched.
std::string found_file(const std::vector<std::string>& directories, const std::vector<std::string>& names,
                       const Files& files, const std::function<bool(const std::string&)>& fits,
                       const std::function<void(const std::string&)>& looked = {});

/// A name in a linker script as the linker opens it: `=` and `$SYSROOT` mean the sysroot, and a script below
/// the sysroot names paths below it.
std::string below_sysroot(const std::string& name, const std::string& script, const std::string& sysroot,
                          const Files& files);

} // namespace hostpin::cmdline
