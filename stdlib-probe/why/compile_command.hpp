// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"

#include <span>
#include <string>
#include <vector>

namespace hostpin {

/// One compile command as a user or a build system wrote it.
struct CompileCommand {
  std::string directory;          ///< absolute, where it runs
  std::vector<std::string> words; ///< the compiler, what stands before it, and its arguments
  std::string source;             ///< absolute; empty when only the words name it
};

/// The commands of a compile_commands.json, in its order; `path` is that file or a directory that holds it.
/// An error names the file and what is wrong with which entry; a database without entries is one.
Result<std::vector<CompileCommand>> compile_database(const Files& files, const std::string& path);

/// The words with every `@file` replaced by the words of that file, as compilers do; one that does not
/// exist stays as it is. An error when one cannot be read, or such files name each other without end.
Result<std::vector<std::string>> expanded_words(const Files& files, std::span<const std::string> words,
                                                const std::string& directory);

/// `path` as seen from `directory`, without `.` and `..`.
std::string absolute_path(const std::string& path, const std::string& directory);

} // namespace hostpin
