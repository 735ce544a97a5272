// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace hostpin::nvcc {

/// One option of nvcc, as the four releases 11.2, 11.8, 12.4 and 13.0 were measured to read it.
struct Option {
  /// How many values follow. `optional` takes the next argument unless that starts with a dash.
  enum class Arity : std::uint8_t { none, one, list, optional };
  /// Where a value may stand: `apart` is `-x v` or `-x=v`; `attached` also `-xv`, under the short spelling
  /// only.
  enum class Place : std::uint8_t { apart, attached };
  /// What the option is to us; whatever is `plain` is passed on unread.
  enum class Meaning : std::uint8_t {
    plain,
    host_compiler,
    options_file,
    allow_unsupported,
    informational, ///< nvcc answers and exits without starting a host compiler
    run,           ///< the exit status is that of the program built
    preprocess,    ///< what comes out is source; nothing is linked
    no_link,       ///< nvcc stops before any link, or only shows it
    library,       ///< a library to link
    library_directory,
  };
  enum class Help : std::uint8_t { listed, hidden };

  std::string_view spelling;
  std::string_view alias; ///< the short spelling, or empty
  Arity arity = Arity::none;
  Place place = Place::apart;
  Meaning meaning = Meaning::plain;
  Help help = Help::listed; ///< whether `nvcc --help` of some measured release shows it
};

/// Every known option, sorted by spelling.
std::span<const Option> options();

/// One argument, read by itself. Input files and options we do not know have no option.
struct Argument {
  const Option* option = nullptr;
  bool has_value = false; ///< the value is in this argument
  std::string_view value =
      {}; ///< the part of the argument that is the value; it ends where the argument ends
};

/// Reads `-x`, `--long`, `-x=v` and `-Xv`. nvcc takes no abbreviations, and `--` before a short name is
/// unknown to it.
Argument read_argument(std::string_view argument);

/// Whether `next`, the argument behind this one, is its value.
bool takes_next(const Argument& argument, std::string_view next);

} // namespace hostpin::nvcc
