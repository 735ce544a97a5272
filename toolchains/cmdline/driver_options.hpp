// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace hostpin::cmdline {

/// How an option of GCC or Clang takes its value.
enum class DriverValue : std::uint8_t {
  none,                ///< `-c`; only the exact spelling matches
  separate,            ///< `-Xlinker X`
  joined,              ///< `-Wl,X`; the value may be empty
  joined_or_separate,  ///< `-oX` or `-o X`
  joined_and_separate, ///< `-Xarch_x86_64 X`
};

/// The effect of an option on the split driver.
enum class DriverMeaning : std::uint8_t {
  nothing,      ///< listed for its arity, so that its value is not misread, or for another column
  preprocess,   ///< stops after preprocessing
  check,        ///< stops after reading the source: no object file, no link
  translate,    ///< stops before linking
  link_input,   ///< reaches the linker like an input, so a link runs even without a file
  language,     ///< `-x`
  library,      ///< `-l`, which the linker searches
  directory,    ///< `-L` or `-B`, a directory to search
  script,       ///< `-T`, a linker script, which may name inputs
  output,       ///< names the output
  registration, ///< nvcc's, when it compiles the code that registers nvlink's output
  auxiliary,    ///< also writes files that are named after the output
  sysroot,      ///< the root of the target system
  verbose,      ///< the driver prints its commands
  show,         ///< the driver prints them and runs nothing
  ask_now,      ///< answered while the options are still being parsed: precedes every other query
  ask_host,     ///< a query about the compiler
  ask_link,     ///< a query about the link
  ask_file,     ///< a query whose value determines the subject
  ask_program,  ///< the same, for programs
  rest_inputs,  ///< everything after it is an input
  runtime_on,   ///< needs a runtime of the compiler
  runtime_off,  ///< cancels that
  sanitize_on,  ///< a list of sanitizers
  sanitize_off, ///< a list of sanitizers, or `all`
};

/// Switches that override each other: the last of the same switch applies, whatever feature it belongs to.
enum class DriverSwitch : std::uint8_t {
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

/// How other consumers treat an option; bits of DriverOption::uses.
namespace driver_use {
inline constexpr std::uint8_t
    everywhere = 0,
    not_in_object = 1,   ///< left out if a source is compiled again to examine the object: it names or adds
                         ///< an output, is for the link only, or keeps code out of the object
    not_in_question = 2, ///< left out if a driver is queried for its library: it names outputs or changes
                         ///< what is made
    writes_module = 4,   ///< compiling with it writes a module's interface
    constant = 8,        ///< means the same whenever the driver is called
    path = 16,           ///< its value is one, and constant only if absolute
    neither = not_in_object | not_in_question, constant_path = constant | path;
} // namespace driver_use

struct DriverOption {
  std::string_view spelling;
  DriverValue value = DriverValue::none;
  DriverMeaning meaning = DriverMeaning::nothing;
  std::uint8_t uses = driver_use::everywhere;
  DriverSwitch toggle = DriverSwitch::none;

  bool is(std::uint8_t use) const { return (uses & use) == use; }
};

/// Every row, sorted by spelling in byte order.
std::span<const DriverOption> driver_options();

/// The row that GCC's and Clang's rule (the longest spelling wins) gives for an argument, or null: then the
/// argument has no value, and all consumers pass it on.
const DriverOption* find_driver_option(std::string_view argument);

/// Whether the value of an option, in an argument that begins with its spelling, is the next argument.
bool takes_next(const DriverOption& option, std::string_view argument);

/// One argument of a compiler driver, with its value.
struct DriverArgument {
  const DriverOption* option = nullptr; ///< null: an input, or an option that is not in the table
  bool input = false;
  bool lacks_value = false;    ///< the next argument would be its value, and there is none
  std::string_view value = {}; ///< what follows the spelling, or the next argument
  std::size_t size = 1;        ///< number of arguments: 2 if its value is the next one
};

/// Reads the argument at `at`, which must not be the value of the one before.
template <typename Words>
DriverArgument driver_argument(const Words& words, std::size_t at) {
  const std::string_view word = words[at];
  if (word.size() < 2 || word.front() != '-')
    return {.input = true};
  const DriverOption* const option = find_driver_option(word);
  if (option == nullptr)
    return {};
  if (!takes_next(*option, word))
    return {.option = option, .value = word.substr(option->spelling.size())};
  if (at + 1 == words.size())
    return {.option = option, .lacks_value = true};
  return {.option = option, .value = words[at + 1], .size = 2};
}

} // namespace hostpin::cmdline
