// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/nvcc/option_file.hpp"
#include "wrapper/nvcc/options.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace hostpin::nvcc {

/// One call of nvcc: what it reads options from, in the order in which it reads them.
struct Call {
  std::optional<std::string_view> prepend;  ///< NVCC_PREPEND_FLAGS
  std::span<const char* const> arguments;   ///< without argv[0]
  std::optional<std::string_view> append;   ///< NVCC_APPEND_FLAGS
  std::optional<std::string_view> variable; ///< NVCC_CCBIN
  bool reads_variable = false;              ///< this release knows NVCC_CCBIN (12.5 and later do)
  bool escaped_quotes = true;               ///< see split_flags; to be false for releases before 12
};

/// Which host compiler nvcc would take, and whose word it is. nvcc.profile, which every one of these
/// outranks, is the caller's to read.
struct HostNaming {
  enum class By : std::uint8_t {
    nobody,
    command_line,
    options_file,
    prepend_flags,
    append_flags,
    ccbin_variable
  };

  By by = By::nobody;
  /// As given: a driver, a name to look up on PATH, or a directory, which means `<dir>/gcc` to compile and
  /// `<dir>/g++` to link. May be empty, which nvcc cannot start. Points into the call or into `files`.
  std::string_view value;
  std::string_view file;          ///< the options file, when it is one that names it
  std::size_t position = 0;       ///< on the command line: the index of the argument that holds the value
  bool allow_unsupported = false; ///< -allow-unsupported-compiler was given
  bool informational = false;     ///< nvcc will only print something: no host compiler is started
  bool runs = false;              ///< --run was given
  bool links = true;              ///< no option stops nvcc before its links
  bool preprocesses = false;      ///< source is to be printed, and no more
  /// Words that are no options: sources, objects, libraries. They point into the call or into `files`.
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> libraries;           ///< values of -l, lists at commas
  std::vector<std::string_view> library_directories; ///< values of -L, the same
  bool value_crosses = false; ///< the last option of NVCC_PREPEND_FLAGS takes its value from the command line
  std::vector<std::unique_ptr<OptionFile>> files; ///< every options file, in the order of reading
};

/// The way as a user would write it: `-ccbin`, `NVCC_APPEND_FLAGS`, ...; `nobody` when there is none.
std::string_view to_string(HostNaming::By by);

/// The naming that nvcc would arrive at: NVCC_APPEND_FLAGS outranks the command line, which outranks
/// NVCC_PREPEND_FLAGS, which outranks NVCC_CCBIN; an options file counts where it is named; the last one
/// wins. An options file that nvcc will refuse is passed over: nvcc has its own message for it.
HostNaming host_naming(const Call& call, const cmdline::ArgumentFiles& texts);

/// Reads words one after another and remembers which of them is the value of the one before.
class WordReader {
public:
  struct Seen {
    Option::Meaning meaning = Option::Meaning::plain;
    bool has_value = false;
    bool apart = false;          ///< the value is a word of its own
    bool input = false;          ///< neither an option nor a value
    std::string_view value = {}; ///< the end of the word
  };

  /// What this word says. An option whose value comes with the next word says nothing yet.
  Seen next(std::string_view word) {
    if (pending_.option != nullptr && takes_next(pending_, word)) {
      const Option::Meaning meaning = pending_.option->meaning;
      pending_ = {};
      return {meaning, true, true, false, word};
    }
    pending_ = read_argument(word);
    if (pending_.option == nullptr)
      return {Option::Meaning::plain, false, false, !word.starts_with('-'), {}};
    const Argument read = pending_;
    const bool takes_value = read.option->arity != Option::Arity::none;
    if (takes_value && !read.has_value)
      return {};
    pending_ = {};
    return {read.option->meaning, takes_value, false, false, read.value};
  }

  /// Whether the next word is, or may be, a value.
  bool waiting() const { return pending_.option != nullptr; }

  /// Whether the next word has to be a value: nvcc refuses a list of words that ends so.
  bool starving() const { return waiting() && pending_.option->arity != Option::Arity::optional; }

private:
  Argument pending_;
};

} // namespace hostpin::nvcc
