// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/needles/needles.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/binary/elf.hpp"
#include "toolchains/config/bound.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::leak {

/// Something that must not be needed by what was built.
struct UnwantedPath {
  enum class Kind {
    forbidden,       ///< named by the user
    host_compiler,   ///< the compiler that nvcc used, if it is not the stdenv
    toolkit_program, ///< nvcc and the programs next to it: needed to build, not to run
    build_directory,
  };
  std::string path; ///< absolute
  Kind kind = Kind::forbidden;
};

/// For a person: `the host compiler's`, ...
std::string_view to_string(UnwantedPath::Kind kind);

/// The requirements on built files.
struct Policy {
  std::vector<UnwantedPath> unwanted;
  std::string libstdcxx;     ///< file that programs are to load; empty if not known
  std::string libgcc;        ///< the same of libgcc_s.so.1
  int libstdcxx_release = 0; ///< of the GCC it belongs to; 0 if not known
  /// Prefixes of the compilers of a binding, whose loaders may be run.
  std::vector<std::string> compiler_prefixes;
  std::vector<std::string> vendor; ///< third-party files and directories
  std::vector<std::string> stores; ///< package stores: files in them are to refer to nothing outside
  std::string
      driver_directory; ///< the system's directory of libcuda.so.1; empty: one that every loader searches
  /// In which programs of the binding search for the NVIDIA driver, in order: its links add them.
  std::vector<std::string> driver_path;
  std::string compat_directory; ///< of cuda_compat, to be searched before the driver's; empty: none
  /// If the binding is for another machine: the kind of its programs.
  std::optional<binary::ElfKind> other_machine;
  BoundLoader loader; ///< theirs; without a path if it is not known
};

/// Adds what follows from the binding in the directory `named`. Directories that the stdenv needs too, and
/// those of the system, are not unwanted. An error if there is no binding.
Result<void> add_binding(Policy& policy, const Files& files, const std::string& named);

/// Adds the absolute paths in a file, one per line; empty lines and lines that begin with `#` are skipped.
Result<void> add_forbidden_file(Policy& policy, const Files& files, const std::string& path);

/// The unwanted paths as needles, each also with its symlinks resolved, and the kind of each.
class Unwanted {
public:
  /// An error names a path that cannot be searched for.
  static Result<Unwanted> make(const Policy& policy, const Files& files);

  const NeedleSet& needles() const { return needles_; }
  const UnwantedPath& row(std::uint32_t needle) const { return rows_[needle]; }
  /// The one that is this path or a directory above it; nullptr if there is none.
  const UnwantedPath* covering(std::string_view normal_path) const;

private:
  NeedleSet needles_;
  std::vector<UnwantedPath> rows_; ///< by needle
};

/// Whether a path is one of those or below one. All normalised.
bool is_below(std::string_view path, const std::vector<std::string>& directories);

} // namespace hostpin::leak
