// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// A file, directory or absence that the decision rests on, re-checked by one stat each.
struct PlanFile {
  enum class Kind { file, directory, absent };
  Kind kind = Kind::file;
  std::uint64_t size = 0;    ///< bytes; 0 for directories
  std::int64_t modified = 0; ///< nanoseconds since the epoch
  std::string_view path;     ///< ends before a NUL, so its data() is a C string
  /// `file_checksum` as 16 digits, by which a file with another time is known as the same; may be empty.
  std::string_view content = {};
  /// A later time of the same bytes, as nanoseconds since the epoch.
  std::optional<std::int64_t> touched = {};

  bool operator==(const PlanFile&) const = default;
};

/// What links are allowed to do with flags whose runtime comes with the compiler.
struct PlanRuntime {
  enum class Rule { cross, refuse, one_compiler, drop };
  std::string_view feature; ///< `coverage`, `profile`, `lto`, `sanitize`, `openmp`, ...
  Rule rule = Rule::cross;
  std::string_view reason; ///< for a person; says what breaks and which two compilers meet
};

/// `cross`, `refuse`, `one-compiler`, `drop`.
std::string_view to_string(PlanRuntime::Rule rule);

/// One resolved decision, flattened for the hot path. Every view points into the bytes it was read from and
/// is followed by a NUL.
struct Plan {
  std::string_view toolkit;               ///< version, such as `12.4.131`
  std::string_view nvcc;                  ///< the real nvcc, absolute
  bool nvcc_reads_ccbin_variable = false; ///< this release knows NVCC_CCBIN
  bool nvcc_escapes_quotes = false; ///< in NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS, `\"` closes no quote
  std::string_view home; ///< directory that holds our `c++`; empty: the directory the plan was read from
  bool untouched =
      false; ///< a named host compiler is to be used as it is: run nvcc with the arguments as given
  bool named_as_is = false; ///< policy: named host compilers are obeyed without a pin
  bool named = false;       ///< this plan was made for a named host compiler
  bool newer_host = false;  ///< the host compiler's objects may need more than the link's C++ library defines
  bool view = false; ///< a toolkit view's: nvcc is called by the path `../bin/nvcc`, as seen from the plan
  std::vector<std::string_view> host; ///< command that compiles: driver, then leading arguments
  std::vector<std::string_view> link; ///< command that links
  std::string_view family;            ///< of the host compiler: `gcc`, `clang`, `other`
  std::string_view host_label;        ///< for messages: `GCC 13.3.0 (/usr/bin/g++-13)`
  std::string_view link_label;
  std::string_view link_proof;      ///< policy for links whose needs are not met: `error`, `warn`, `off`
  std::string_view lto_check;       ///< policy for links whose link-time code does not match, as link_proof
  std::string_view loader;          ///< that links are made for; empty when unknown
  std::string_view loader_cache;    ///< path of its ld.so.cache
  std::string_view loader_library;  ///< what $LIB stands for
  std::string_view loader_platform; ///< what $PLATFORM stands for
  std::vector<std::string_view> loader_directories; ///< where it looks by itself
  std::vector<std::string_view>
      loader_capabilities;   ///< subdirectories of glibc-hwcaps that it takes, best first
  std::string_view library;  ///< the C++ library that programs are to load, under its soname
  std::string_view hostpin;  ///< the hostpin command that wrote the plan, absolute; may be gone
  std::string_view identity; ///< digest of the file `identity` beside the plan; empty when there is none
  std::vector<PlanRuntime> runtimes; ///< empty when one compiler does both
  std::vector<PlanFile> files;
};

/// Reads the bytes of a plan file. Nothing when they are truncated, altered, or of another format version:
/// the caller then resolves anew or refuses. Never reads outside `bytes`.
std::optional<Plan> read_plan(std::string_view bytes);

/// The bytes of a plan file; the same for the same plan.
std::string write_plan(const Plan& plan);

} // namespace hostpin
