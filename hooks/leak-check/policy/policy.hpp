// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/needles/needles.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// Something that must not be needed by what was built.
struct UnwantedPath {
  enum class Kind {
    forbidden,       ///< named by whoever asked
    host_compiler,   ///< the compiler that nvcc used, where it is not the stdenv
    toolkit_program, ///< nvcc and what lies beside it: needed to build, not to run
    build_directory,
  };
  std::string path; ///< absolute
  Kind kind = Kind::forbidden;
};

/// For a person: `the host compiler's`, ...
std::string_view to_string(UnwantedPath::Kind kind);

/// What is right for what was built.
struct Policy {
  std::vector<UnwantedPath> unwanted;
  std::string libstdcxx;     ///< file that programs are to load; empty when not known
  std::string libgcc;        ///< the same of libgcc_s.so.1
  int libstdcxx_release = 0; ///< of the GCC it belongs to; 0 when not known
  /// Prefixes of the compilers of a binding, whose loaders may be asked.
  std::vector<std::string> compiler_prefixes;
  std::vector<std::string> vendor; ///< files and directories taken over as they came
  std::vector<std::string> stores; ///< package stores: what lies in them is to refer to nothing outside
  std::string driver_directory;    ///< where this system keeps libcuda.so.1; empty: where every loader looks
  std::string compat_directory;    ///< of cuda_compat, to be looked at before the driver's; empty: none
};

/// Adds what the binding that the directory `named` holds tells. Directories that the stdenv needs as well,
/// or that are the system's own, are not unwanted. An error when it holds no binding.
Result<void> add_binding(Policy& policy, const Files& files, const std::string& named);

/// Adds the absolute paths in a file, one on each line; empty lines and those with `#` first are skipped.
Result<void> add_forbidden_file(Policy& policy, const Files& files, const std::string& path);

/// The unwanted paths as needles, each also with its symlinks resolved, and which kind each one is.
class Unwanted {
public:
  /// An error names a path that cannot be looked for.
  static Result<Unwanted> make(const Policy& policy, const Files& files);

  const NeedleSet& needles() const { return needles_; }
  const UnwantedPath& row(std::uint32_t needle) const { return rows_[needle]; }
  /// The one that is this path or a directory above it; nullptr when there is none.
  const UnwantedPath* covering(std::string_view normal_path) const;

private:
  NeedleSet needles_;
  std::vector<UnwantedPath> rows_; ///< by needle
};

/// Whether a path is one of those or lies below one. All normalised.
bool is_below(std::string_view path, const std::vector<std::string>& directories);

} // namespace hostpin
