// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/cxx/features.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace hostpin {

/// How an option of GCC or Clang takes its value.
enum class CxxValue : std::uint8_t {
  none,                ///< `-c`; only the exact spelling matches
  separate,            ///< `-Xlinker X`
  joined,              ///< `-Wl,X`; the value may be empty
  joined_or_separate,  ///< `-oX` or `-o X`
  joined_and_separate, ///< `-Xarch_x86_64 X`
};

/// What an option means to the split.
enum class CxxMeaning : std::uint8_t {
  nothing,      ///< listed for its arity, so that its value is not misread
  preprocess,   ///< stops after preprocessing
  check,        ///< stops after reading the source: no object file, no link
  translate,    ///< stops before linking
  link_input,   ///< reaches the linker as an input does, so a link runs even without a file
  language,     ///< `-x`
  library,      ///< `-l`, which the linker searches for
  directory,    ///< `-L` or `-B`, where it does
  script,       ///< `-T`, a linker script, which may name inputs
  output,       ///< names the file that is made
  registration, ///< nvcc's, where it compiles what registers the output of nvlink
  beside,       ///< also writes files that are named after the output
  sysroot,      ///< the root of the system that it is made for
  verbose,      ///< the driver shows what it runs
  show,         ///< the driver shows it and runs nothing
  ask_now,      ///< answered while the options are still being read: outranks every other question
  ask_host,     ///< a question about the compiler
  ask_link,     ///< a question about the link side
  ask_file,     ///< a question whose value says which side
  ask_program,  ///< the same, for programs
  rest_inputs,  ///< everything behind it is an input
  runtime_on,   ///< needs a runtime of the compiler
  runtime_off,  ///< takes that back
  sanitize_on,  ///< a list of sanitizers
  sanitize_off, ///< a list of sanitizers, or `all`
};

/// Switches that take each other back: the last of the same switch wins, whatever feature it belongs to.
enum class CxxSwitch : std::uint8_t {
  none,
  arcs,
  coverage,
  generate,
  instr_generate,
  cs_generate,
  openmp,
  openacc,
  gprof,
  lto,
  count
};

/// The feature that a switch other than `none` and `count` asks for.
RuntimeFeature feature_of(CxxSwitch toggle);

struct CxxOption {
  std::string_view spelling;
  CxxValue value = CxxValue::none;
  CxxMeaning meaning = CxxMeaning::nothing;
  CxxSwitch toggle = CxxSwitch::none;
};

/// Whether the value of an option, in an argument that begins with its spelling, is the next argument.
bool takes_next(const CxxOption& option, std::string_view argument);

/// Every row, sorted by spelling in byte order.
std::span<const CxxOption> cxx_options();

/// The row that GCC's and Clang's rule (the longest spelling wins) gives for an argument, or null: then the
/// argument stands alone and says nothing about the split.
const CxxOption* find_cxx_option(std::string_view argument);

} // namespace hostpin
