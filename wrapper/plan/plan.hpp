// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/check_policy.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::plan {

/// A file, directory or absence that the decision depends on, checked again by one stat each.
struct PlanFile {
  enum class Kind { file, directory, absent };
  Kind kind = Kind::file;
  std::uint64_t size = 0;    ///< bytes; 0 for directories
  std::int64_t modified = 0; ///< nanoseconds since the epoch
  std::string_view path;     ///< ends before a NUL, so its data() is a C string
  /// `file_checksum` as 16 digits, which shows that a file with another time is unchanged; may be empty.
  std::string_view content = {};
  /// A later time of the same bytes, as nanoseconds since the epoch.
  std::optional<std::int64_t> touched = {};

  bool operator==(const PlanFile&) const = default;
};

/// What links may do with flags whose runtime comes with the compiler.
/// Directory below a plan's directory that looks like a toolkit: CMake 3.18 and 3.19 and the FindCUDA module
/// take the parent of the compiler's directory as the toolkit's root.
constexpr std::string_view tree_room = "cuda";

enum class PlanRule { cross, refuse, one_compiler, drop };

template <typename Text>
struct PlanRuntimeOf {
  using Rule = PlanRule;
  Text feature; ///< `coverage`, `profile`, `lto`, `sanitize`, `openmp`, ...
  Rule rule = Rule::cross;
  Text reason; ///< one clause for the user: what fails, and for which two compilers
};

/// `cross`, `refuse`, `one-compiler`, `drop`.
std::string_view to_string(PlanRule rule);

/// One decision, flattened for the launcher.
template <typename Text>
struct PlanOf {
  Text toolkit;                           ///< version, such as `12.4.131`
  Text nvcc;                              ///< the real nvcc, absolute
  bool nvcc_reads_ccbin_variable = false; ///< this release knows NVCC_CCBIN
  bool nvcc_escapes_quotes = false; ///< in NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS, `\"` closes no quote
  Text target_directory;            ///< for nvcc's -target-dir; empty: nvcc chooses it
  Text home;                ///< directory of hostpin's `c++`; empty: the directory the plan was read from
  bool untouched = false;   ///< use a named host compiler as it is: run nvcc with the arguments as given
  bool named_as_is = false; ///< policy: named host compilers are used without a pin
  bool named = false;       ///< this plan was made for a named host compiler
  bool newer_host = false;  ///< the host compiler's objects may need more than the link's C++ library defines
  bool view = false; ///< a toolkit view's: nvcc is called by the path `../bin/nvcc`, as seen from the plan
  bool tree = false; ///< nvcc is called by the path `cuda/bin/nvcc`, as seen from the plan
  std::vector<Text> host;           ///< command that compiles: driver, then leading arguments
  std::vector<Text> link;           ///< command that links
  std::vector<Text> link_last;      ///< arguments of links after the caller's
  std::vector<Text> host_link_last; ///< of links by the host compiler, which one-compiler rules make
  Text family;                      ///< of the host compiler: `gcc`, `clang`, `other`
  Text host_label;                  ///< for messages: `GCC 13.3.0 (/usr/bin/g++-13)`
  Text link_label;
  CheckPolicy link_proof = CheckPolicy::error; ///< for links with unmet needs
  CheckPolicy lto_check = CheckPolicy::error;  ///< for links whose link-time code does not match
  Text loader;                                 ///< that links are made for; empty when unknown
  Text loader_cache;                           ///< path of its ld.so.cache
  Text loader_library;                         ///< value of $LIB
  Text loader_platform;                        ///< value of $PLATFORM
  std::vector<Text> loader_directories;        ///< its default search path
  std::vector<Text> loader_capabilities;       ///< subdirectories of glibc-hwcaps that it uses, best first
  /// That links make their output search for the NVIDIA driver, in order; mostly empty.
  std::vector<Text> driver_directories;
  std::vector<Text> run_path;    ///< directories that links add to run paths, also `$ORIGIN/../lib`
  Text loader_root;              ///< the target's root directory on this machine, or empty: see LoaderPlaces
  bool loader_elsewhere = false; ///< another machine runs what is linked
  Text library;                  ///< the C++ library that programs have to load, under its soname
  Text policy;           ///< that shared libraries are linked for, `manylinux_2_28_x86_64`; empty for none
  Text policy_versions;  ///< its symbol versions, as in loader::LinkPolicy
  Text policy_libraries; ///< the libraries that it allows, likewise
  Text slices;   ///< directory in which nvcc's work for each GPU is stored; empty: nvcc runs as one call
  Text hostpin;  ///< the hostpin command that wrote the plan, absolute; may no longer exist
  Text identity; ///< digest of the file `identity` next to the plan; empty if there is none
  /// `-gencode=arch=compute_80,code=sm_80`, ...: replace the GPU options of calls; empty: those stay.
  std::vector<Text> gpus;
  std::vector<Text> gpu_variants;            ///< see nvcc::GpuList
  std::vector<PlanRuntimeOf<Text>> runtimes; ///< empty if one compiler does both
  std::vector<PlanFile> files;
};

/// A plan that was read: every view points into its bytes and is followed by a NUL.
using Plan = PlanOf<std::string_view>;
using PlanRuntime = PlanRuntimeOf<std::string_view>;
/// A plan that is being made.
using OwnPlan = PlanOf<std::string>;
using RuntimeRule = PlanRuntimeOf<std::string>;

/// Reads the bytes of a plan file. Nothing if they are truncated, altered, or of another format version: the
/// caller then decides again or refuses. Never reads outside `bytes`, to which `files` always points.
template <typename Text = std::string_view>
std::optional<PlanOf<Text>> read_plan(std::string_view bytes);

/// The bytes of a plan file; the same for the same plan.
template <typename Text>
std::string write_plan(const PlanOf<Text>& plan);

/// 32 hexadecimal digits over what determines an object: compilers and their arguments, rules, and the states
/// of the dependencies. The same on two machines with the same toolchain, so without locations (`home`,
/// `hostpin`, `slices`, `driver_directories`, `run_path`), what the loader searches per processor
/// (`loader*`), the policy, which only refuses links, and the record of nvcc's query.
std::string decision_digest(Plan plan);

// The format that a plan and the files next to it share: `key=value` NUL for each field.

void append_field(std::string& bytes, std::string_view key, std::string_view value);

/// Removes the first field and calls `take(key, value)`. False if there is no complete field, or if `take`
/// rejected it.
template <typename Take>
bool next_field(std::string_view& fields, const Take& take) {
  const std::size_t end = fields.find('\0');
  const std::string_view field = fields.substr(0, end);
  const std::size_t equals = field.find('=');
  if (end == std::string_view::npos || equals == std::string_view::npos)
    return false;
  fields.remove_prefix(end + 1);
  return take(field.substr(0, equals), field.substr(equals + 1));
}

/// The state of a file, under `file`, `directory` or `absent`.
void append_file_field(std::string& bytes, const PlanFile& file);

enum class FileField { taken, damaged, not_a_file };
/// Reads a field if it is one of those.
FileField read_file_field(std::string_view key, std::string_view value, std::vector<PlanFile>& files);

/// Removes and returns the text up to the next space; nothing if there is no space.
std::optional<std::string_view> take_word(std::string_view& text);

} // namespace hostpin::plan
