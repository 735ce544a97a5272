// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::cmdline {

/// The content of a file that holds arguments.
struct ArgumentText {
  std::string text;
  bool gone = false; ///< it was a pipe or the like and cannot be read again
};

/// Response files and nvcc's options files as a parser reads them; tests pass a map.
class ArgumentFiles {
public:
  /// What to do with a pipe: reading it takes the content away from the program that runs next.
  enum class Pipes { leave, read };

  ArgumentFiles() = default;
  ArgumentFiles(const ArgumentFiles&) = delete;
  ArgumentFiles& operator=(const ArgumentFiles&) = delete;
  virtual ~ArgumentFiles() = default;

  /// Nothing if the file cannot be read, or is a pipe and `pipes` is `leave`.
  virtual std::optional<ArgumentText> read(const std::string& path, Pipes pipes) const = 0;
};

/// Files on disk, up to 64 MiB each. If pipes are read, a directory reads as empty, as it does for nvcc.
class DiskArgumentFiles final : public ArgumentFiles {
public:
  std::optional<ArgumentText> read(const std::string& path, Pipes pipes) const override;
};

/// Arguments with every `@file` replaced by the file's arguments. Views point into the original arguments or
/// `held`.
struct ExpandedArguments {
  std::vector<std::string_view> arguments;
  std::vector<std::unique_ptr<std::string>> held;
};

/// Expands nested files too, at most 2000 in all, which is GCC's own limit. As in GCC, a file that cannot be
/// read stays unchanged, and counts as an input.
ExpandedArguments expand_responses(std::span<const std::string_view> arguments, const ArgumentFiles& files);

/// The same for a command that runs in `directory`; empty: in the current one.
std::vector<std::string> with_responses(std::span<const std::string> words, const Files& files,
                                        const std::string& directory = {});

/// Why `with_responses` did not expand the first response file that exists and is left: it is a pipe, which
/// only one program can read, a directory, not readable, or names itself.
std::optional<Error> unread_response(std::span<const std::string> words, const Files& files,
                                     const std::string& directory = {});

} // namespace hostpin::cmdline
