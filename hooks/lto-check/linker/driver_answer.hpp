// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::lto {

/// What determining a link needs of the system.
struct LinkTools {
  const Environment& environment;
  const Files& files;
  const Processes& processes;
  std::string cache;     ///< directory of cached answers; empty: none
  std::string directory; ///< the current one, for relative paths of a command
};

/// Limits of the cache: answers and bytes. Each answer has some KB, but nvcc repeats its inputs.
inline constexpr std::size_t most_answers = 512;
inline constexpr std::uint64_t most_answer_bytes = std::uint64_t{32} << 20U;

/// A question to a program whose answer is cached. To be made before the program runs.
class CachedQuestion {
public:
  /// `tools` must outlive it. `words`: everything that the answer depends on except files.
  CachedQuestion(const LinkTools& tools, std::vector<std::string> words);

  /// Nothing if there is no answer, or if a file that it depends on has changed.
  std::optional<std::string> answer() const;
  /// Replaces the oldest answers if the cache is full. Nothing is stored if one of the files may have changed
  /// since the question was made.
  void store(std::string_view text, const std::vector<std::string>& dependencies) const;

private:
  const LinkTools& tools_;
  std::vector<std::string> words_;
  std::int64_t asked_; ///< nanoseconds since the epoch
};

/// Appends the variables that compiler drivers read, as `NAME=value`: an answer depends on them.
void append_driver_variables(std::vector<std::string>& words, const LinkTools& tools);

/// A question about a compiler driver's command, `program` being the path of its first word.
CachedQuestion driver_question(const char* kind, const std::vector<std::string>& command,
                               const std::string& program, const LinkTools& tools);

/// The files that its answer depends on: the compiler driver, what it runs, the directories in which it may
/// find other programs, and the files of options that it reports to read. `shown`: its `-###`.
std::vector<std::string> driver_dependencies(const std::vector<std::string>& command,
                                             const std::string& program, std::string_view shown,
                                             const LinkTools& tools);

/// The output of a compiler driver or nvcc that is called with that option too (-###, -dryrun), cached with
/// the files that the answer depends on. An error if the program does not exist or fails.
Result<std::string> driver_answer(const std::vector<std::string>& command, const char* option,
                                  const LinkTools& tools);

/// The lines of such an answer that begin with a mark, without it.
std::vector<std::string_view> marked(std::string_view text, std::string_view mark);

/// A compiler driver's command in which each run of objects and libraries named by path is replaced by one
/// argument that the driver passes to the linker in place. The answer is then the same for every such link,
/// can be cached, and is short however many objects there are. The output is renamed for the same reason.
struct Placeholders {
  std::vector<std::string> command;
  std::vector<std::vector<std::string>> inputs; ///< the n-th list belongs to the n-th placeholder
};

/// Inputs that the driver itself may read (sources, inputs after -x) are not replaced.
Placeholders replace_inputs(const std::vector<std::string>& command);

/// The linker's arguments with the placeholders replaced by the inputs.
std::vector<std::string> put_inputs_back(const std::vector<std::string>& words,
                                         const Placeholders& placeholders);

} // namespace hostpin::lto
