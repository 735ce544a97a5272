// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/cmdline/response.hpp"
#include "wrapper/cxx/features.hpp"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// What a call of `c++` is, judged by its arguments alone.
struct CxxCall {
  enum class Role {
    compile,    ///< stops before linking
    link,       ///< the linker runs, also when sources are compiled on the way
    query_host, ///< asks about the compiler, or has nothing to work on
    query_link, ///< asks about the link side: directories, libraries, archiver, linker
  };
  Role role = Role::query_host;
  /// An object file, assembly or program is made, so that runtime features take effect.
  bool generates_code = false;
  /// What `-o` names; the driver's own choice where it says nothing.
  std::string output = "a.out";
  bool other_root = false; ///< a sysroot is named: what is made need not run on this system
  bool verbose = false;    ///< `-v`
  bool shows = false;      ///< `-###`: commands are shown and nothing is run
  /// nvcc compiles its own crt/link.stub, which registers what nvlink has linked, with the flags of the link.
  bool registration = false;
  /// A link compiles sources on its way, and could as well be given their objects.
  bool compiles = false;
  /// The argument that asks for each feature, in the order of RuntimeFeature; empty when none does.
  std::array<std::string, runtime_feature_names.size()> features;
};

/// Classifies the arguments behind argv[0]. Never fails: what no driver would accept gets some role, and the
/// driver that runs says what is wrong with it.
CxxCall cxx_call(std::span<const std::string_view> arguments, const cmdline::ArgumentFiles& files);

/// `a.cpp b.o -o prog` as `-c a.cpp -o OBJECT` and `OBJECT b.o -o prog`: the arguments of each.
struct SourceSteps {
  std::vector<std::vector<std::string>> compiles;
  std::vector<std::string> objects; ///< what each of them makes
  std::vector<std::string> link;
};
/// For a call that compiles, its response files expanded; the objects are to lie in `directory`.
SourceSteps source_steps(std::span<const std::string_view> arguments, const std::string& directory);

/// What a link reads, as far as its arguments name it, each in order. Words that are passed to the linker
/// stand among the files even where they are values of its options.
struct LinkInputs {
  std::vector<std::string> files;
  std::vector<std::string> libraries;   ///< `m` of -lm, `:libm.a` of -l:libm.a
  std::vector<std::string> directories; ///< where to look for them before the driver's own
  bool in_other_files = false;          ///< the linker itself is told of a file that may name more
};
LinkInputs link_inputs(std::span<const std::string_view> arguments, const cmdline::ArgumentFiles& files);

} // namespace hostpin
