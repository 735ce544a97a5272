// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/cmdline/nvcc_options.hpp"
#include "toolchains/cmdline/response.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::cmdline {

/// nvcc refuses a sixteenth open file; so a file that names itself ends.
inline constexpr std::size_t option_file_depth = 15;

/// Limit of files read for one call; nvcc has none, but real calls stay far below it.
inline constexpr std::size_t option_file_count = 4096;

/// One call of nvcc: the sources of its options, in the order in which it reads them.
struct NvccCall {
  std::optional<std::string_view> prepend;  ///< NVCC_PREPEND_FLAGS
  std::span<const char* const> arguments;   ///< without argv[0]
  std::optional<std::string_view> append;   ///< NVCC_APPEND_FLAGS
  std::optional<std::string_view> variable; ///< NVCC_CCBIN
  bool reads_variable = false;              ///< this release knows NVCC_CCBIN (12.5 and later do)
  bool escaped_quotes = true;               ///< see split_flags; must be false for releases before 12
};

/// Which host compiler nvcc would use, and what names it. The caller reads nvcc.profile, which all of these
/// override.
struct CcbinChoice {
  enum class By : std::uint8_t {
    nobody,
    command_line,
    options_file,
    prepend_flags,
    append_flags,
    ccbin_variable
  };

  By by = By::nobody;
  /// As given: a driver, a name to search on PATH, or a directory, which means `<dir>/gcc` to compile and
  /// `<dir>/g++` to link. May be empty, which nvcc cannot start. Points into the call or into its files.
  std::string_view value;
  std::string_view file;    ///< the options file, if one names it
  std::size_t position = 0; ///< on the command line: the index of the argument that holds the value
};

/// The source as a user would write it: `-ccbin`, `NVCC_APPEND_FLAGS`, ...; `nobody` if there is none.
std::string_view to_string(CcbinChoice::By by);

/// One options file, split into arguments.
struct OptionFile {
  std::string path;
  std::string text;                    ///< `words` points into it
  std::vector<std::string_view> words; ///< each is followed by a NUL
  bool sound = false;                  ///< nvcc can also read it
  bool gone = false;                   ///< it was a pipe and cannot be read a second time
};

/// One argument of a call, as nvcc reads it.
struct NvccWord {
  std::string_view text;
  NvccMeaning meaning = NvccMeaning::plain; ///< of the option whose value is at the end of the argument
  bool apart = false;                       ///< the value is the whole argument
  bool input = false;                       ///< neither an option nor a value
  bool terminated = true;                   ///< a NUL follows, so that it can be passed as an argument
  bool whole = false; ///< of an options-file option: nvcc can read each of its files to the end
  bool gone = false;  ///< of such an option: one of its files cannot be read a second time
  std::uint32_t value_size = 0;
  std::uint32_t inside = 0; ///< arguments in its options files, which follow it

  std::string_view value() const { return text.substr(text.size() - value_size); }
};

/// A parsed call of nvcc.
struct NvccCommand {
  CcbinChoice ccbin;
  bool allow_unsupported = false; ///< -allow-unsupported-compiler was given
  bool informational = false;     ///< nvcc only prints something: no host compiler is started
  bool runs = false;              ///< --run was given
  bool links = true;              ///< no option stops nvcc before its links, or has it only print them
  bool stops_early = false;       ///< an option stops nvcc before its links, or before what it prints of them
  bool preprocesses = false;      ///< nvcc only prints the preprocessed source
  bool names_target = false;      ///< -target-dir was given
  bool device_lto = false;        ///< -dlto was given
  /// `ptx_file`, `cubin_file` or `ltoir_file` if nvcc writes device code for one GPU only, else `plain`.
  NvccMeaning for_one_gpu = NvccMeaning::plain;
  bool value_crosses = false; ///< the last option of NVCC_PREPEND_FLAGS takes its value from the command line
  std::size_t prepended = 0;  ///< arguments of NVCC_PREPEND_FLAGS, including those in files
  std::size_t appended = 0;   ///< arguments of NVCC_APPEND_FLAGS, which are last
  std::vector<NvccWord> words; ///< in nvcc's order; they point into the call or into `files`
  std::vector<std::unique_ptr<OptionFile>> files; ///< every options file, in the order of reading

  std::span<const NvccWord> before() const { return std::span(words).first(prepended); }
  std::span<const NvccWord> line() const {
    return std::span(words).subspan(prepended, words.size() - prepended - appended);
  }
  std::span<const NvccWord> after() const { return std::span(words).last(appended); }
};

/// Parses the call as nvcc would: NVCC_APPEND_FLAGS overrides the command line, which overrides
/// NVCC_PREPEND_FLAGS, which overrides NVCC_CCBIN; an options file counts where it is named; the last one
/// wins. An options file that nvcc will reject is skipped: nvcc has its own message for it.
NvccCommand nvcc_command(const NvccCall& call, const ArgumentFiles& files);

} // namespace hostpin::cmdline
