// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/cmdline/driver_options.hpp"
#include "toolchains/cmdline/response.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::cxx {

/// A feature that a flag turns on and whose runtime comes with the compiler: a library, or a reader of the
/// compiler's output.
enum class RuntimeFeature : std::uint8_t { sanitize, coverage, profile, openmp, pg, lto };

/// The names in plans, configuration and messages, in the order of the enumerators.
inline constexpr std::array<std::string_view, 6> runtime_feature_names = {"sanitize", "coverage", "profile",
                                                                          "openmp",   "pg",       "lto"};

constexpr std::string_view to_string(RuntimeFeature feature) {
  return runtime_feature_names[static_cast<std::size_t>(feature)];
}

/// The feature that a switch other than `none` and `count` turns on.
constexpr RuntimeFeature feature_of(cmdline::DriverSwitch toggle) {
  using enum RuntimeFeature;
  constexpr std::array<RuntimeFeature, static_cast<std::size_t>(cmdline::DriverSwitch::count)> features = {
      lto, // never called with `none`
      coverage, coverage, profile, profile, profile, openmp, openmp, pg, lto};
  return features[static_cast<std::size_t>(toggle)];
}

/// What a call of `c++` does, by its arguments alone.
struct CxxCall {
  enum class Role {
    compile,    ///< stops before linking
    link,       ///< the linker runs, also if sources are compiled first
    query_host, ///< queries the compiler, or has no input
    query_link, ///< queries the link: directories, libraries, archiver, linker
  };
  Role role = Role::query_host;
  /// It makes an object file, assembly or a program, so that runtime features take effect.
  bool generates_code = false;
  /// The value of `-o`; without one, the driver's default.
  std::string output = "a.out";
  std::string sysroot;  ///< that the call names; empty for none
  bool verbose = false; ///< `-v`
  bool shows = false;   ///< `-###`: commands are printed and nothing is run
  /// nvcc compiles its own crt/link.stub, which registers the output of nvlink, with the flags of the link.
  bool registration = false;
  /// The link also compiles sources, and could be given their objects instead.
  bool compiles = false;
  /// The argument that turns on each feature, in the order of RuntimeFeature; empty if none does.
  std::array<std::string, runtime_feature_names.size()> features;
};

/// Classifies the arguments after argv[0]. Never fails: what no driver would accept gets some role, and the
/// driver that runs reports the error.
CxxCall cxx_call(std::span<const std::string_view> arguments, const cmdline::ArgumentFiles& files);

/// `a.cpp b.o -o prog` as `-c a.cpp -o OBJECT` and `OBJECT b.o -o prog`: the arguments of each.
struct SourceSteps {
  std::vector<std::vector<std::string>> compiles;
  std::vector<std::string> objects; ///< the output of each
  std::vector<std::string> link;
};
/// For a call that compiles, with its response files expanded; the objects go into `directory`.
SourceSteps source_steps(std::span<const std::string_view> arguments, const std::string& directory);

/// The inputs that the arguments of a link name, in order. Arguments that are passed to the linker count as
/// files even if they are values of its options.
struct LinkInputs {
  std::vector<std::string> files;
  std::vector<std::string> libraries;   ///< `m` of -lm, `:libm.a` of -l:libm.a
  std::vector<std::string> directories; ///< directories to search for them before the driver's own
  bool in_other_files = false;          ///< an argument of the linker names a file that may name more
};
LinkInputs link_inputs(std::span<const std::string_view> arguments, const cmdline::ArgumentFiles& files);

} // namespace hostpin::cxx
