// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/why/syntax.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/compiler/compiler.hpp"

#include <span>
#include <string>
#include <vector>

namespace hostpin::probe {

/// One compile command as a user or a build system wrote it.
struct CompileCommand {
  std::string directory;          ///< absolute, where it runs
  std::vector<std::string> words; ///< launchers, the compiler, and its arguments
  std::string source;             ///< absolute; empty when only the words name it
};

/// The commands of a compile_commands.json, in its order; `path` is that file or a directory that holds it.
/// An error names the file and what is wrong with which entry; a database without entries is one.
Result<std::vector<CompileCommand>> compile_database(const Files& files, const std::string& path);

/// The arguments with every `@file` replaced by the arguments in that file, as compilers do; a file that does
/// not exist stays as it is. An error when one cannot be read, or such files name each other without end.
Result<std::vector<std::string>> expanded_words(const Files& files, std::span<const std::string> words,
                                                const std::string& directory);

/// `path` as seen from `directory`, without `.` and `..`.
std::string absolute_path(const std::string& path, const std::string& directory);

/// A compile command taken apart.
struct Invocation {
  std::string driver;               ///< the compiler itself, after ccache and the like
  std::vector<std::string> flags;   ///< what decides how the source is compiled
  std::vector<std::string> sources; ///< as spelt
};

/// Leaves out launchers, whatever names or adds an output (-o, -MD, -save-temps, ...), what only a link uses,
/// and what keeps information out of an object (-flto, -emit-llvm, -gsplit-dwarf, -ffile-prefix-map). `words`
/// are without response files. An error when no compiler is named, or when it cannot be followed.
Result<Invocation> invocation(std::span<const std::string> words);

/// The command that compiles `source` to `object` and writes nothing else, with lines and inlined calls in
/// its debug information.
std::vector<std::string> object_command(const Invocation& invocation, Family family,
                                        const std::string& source, const std::string& object);

/// Whether a source is C by that command: by -x, else by its name, which a driver of C++ such as g++ takes
/// for C++ anyway.
bool is_c(const Invocation& invocation, const std::string& source);

/// Directories of the user's headers, which flags name: as spelt, without the main system ones.
std::vector<std::string> own_directories(const std::vector<std::string>& flags);

/// Directories of system headers, which flags name (-isystem and the like): as spelt.
std::vector<std::string> named_system_directories(const std::vector<std::string>& flags);

/// The compiler's default directories, without those that are also the user's.
std::vector<std::string> system_directories(const Files& files, const Compiler& compiler,
                                            const std::vector<std::string>& own);

/// How Clang parses the source of a compile command, so that headers declare the same as for the compiler of
/// that command; `compiler` is null if nothing is known about it. `system`: its default include
/// directories. `resources`: the directory whose `include` has Clang's own headers.
ParsePlan parse_plan(const Invocation& invocation, const CompileCommand& command, const Compiler* compiler,
                     std::vector<std::string> system, const std::string& resources);

} // namespace hostpin::probe
