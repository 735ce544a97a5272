// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace hostpin::cmdline {

/// What the option means to hostpin; a `plain` one is passed on unread.
enum class NvccMeaning : std::uint8_t {
  plain,
  host_compiler,
  options_file,
  allow_unsupported,
  informational, ///< nvcc answers and exits without starting a host compiler
  run,           ///< the program that was built determines the exit status
  preprocess,    ///< the output is source; nothing is linked
  no_link,       ///< nvcc stops before any link
  dry_run,       ///< nvcc prints its commands and runs none
  library,       ///< a library to link
  library_directory,
  target_directory,
  gpu_architecture, ///< -arch
  gpu_code,         ///< -code
  generate_code,    ///< -gencode
  ptx_file,         ///< the output is PTX, or OptiX IR, for one GPU
  cubin_file,       ///< the output is machine code for one GPU
  ltoir_file,       ///< the output is LTO IR for one GPU
  device_lto,       ///< -dlto: compiles to LTO IR, or links it
  relocatable,      ///< -rdc
  relocatable_file, ///< -dc: like no_link, with -rdc=true
  whole_file,       ///< -dw: like no_link, with -rdc=false
  extensible,       ///< -ewp, which nvcc refuses with -dlto
  fatbin_file,      ///< like no_link; the output is device code
};

/// Whether an option names what device code is compiled for.
constexpr bool names_gpus(NvccMeaning meaning) {
  return meaning >= NvccMeaning::gpu_architecture && meaning <= NvccMeaning::generate_code;
}

/// One option of nvcc, as measured with 11.2, 11.8, 12.4 and 13.0 to 13.5.
struct NvccOption {
  /// How many values follow. `optional` takes the next argument unless that starts with a dash.
  enum class Arity : std::uint8_t { none, one, list, optional };
  /// Where a value may be: `apart` is `-x v` or `-x=v`; `attached` also `-xv`, for the short spelling only.
  enum class Place : std::uint8_t { apart, attached };
  enum class Help : std::uint8_t { listed, hidden };

  std::string_view spelling;
  std::string_view alias; ///< the short spelling, or empty
  Arity arity = Arity::none;
  Place place = Place::apart;
  NvccMeaning meaning = NvccMeaning::plain;
  Help help = Help::listed; ///< whether `nvcc --help` of a measured release lists it
};

/// Every known option, sorted by spelling.
std::span<const NvccOption> nvcc_options();

/// One argument, parsed by itself. Input files and unknown options have no option.
struct NvccArgument {
  const NvccOption* option = nullptr;
  bool has_value = false; ///< the value is in this argument
  std::string_view value =
      {}; ///< the part of the argument that is the value; it ends where the argument ends
};

/// Parses `-x`, `--long`, `-x=v` and `-Xv`. nvcc accepts no abbreviations, and `--` before a short name is
/// unknown to it.
NvccArgument nvcc_argument(std::string_view argument);

/// Whether `next`, the following argument, is its value.
bool takes_next(const NvccArgument& argument, std::string_view next);

/// Parses arguments in order and keeps track of which is the value of the one before.
class NvccReader {
public:
  struct Seen {
    NvccMeaning meaning = NvccMeaning::plain;
    bool has_value = false;
    bool apart = false;          ///< the value is a separate argument
    bool input = false;          ///< neither an option nor a value
    std::string_view value = {}; ///< the end of the argument
  };

  /// The meaning of this argument. An option whose value is the next argument has none yet.
  Seen next(std::string_view word) {
    if (pending_.option != nullptr && takes_next(pending_, word)) {
      const NvccMeaning meaning = pending_.option->meaning;
      pending_ = {};
      return {meaning, true, true, false, word};
    }
    pending_ = nvcc_argument(word);
    if (pending_.option == nullptr)
      return {NvccMeaning::plain, false, false, !word.starts_with('-'), {}};
    const NvccArgument read = pending_;
    const bool takes_value = read.option->arity != NvccOption::Arity::none;
    if (takes_value && !read.has_value)
      return {};
    pending_ = {};
    return {read.option->meaning, takes_value, false, false, read.value};
  }

  /// Whether the next argument is, or may be, a value.
  bool waiting() const { return pending_.option != nullptr; }

  /// Whether the next argument has to be a value: nvcc rejects a list that ends here.
  bool starving() const { return waiting() && pending_.option->arity != NvccOption::Arity::optional; }

private:
  NvccArgument pending_;
};

} // namespace hostpin::cmdline
