// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/compiler/compiler.hpp"
#include "toolchains/config/bound.hpp"
#include "toolchains/config/config.hpp"
#include "toolchains/gpus/expansion.hpp"
#include "toolchains/judge/judge.hpp"
#include "toolchains/library/link_plan.hpp"
#include "toolchains/loader/places.hpp"
#include "toolchains/survey/request.hpp"
#include "toolchains/toolkit/toolkit.hpp"
#include "wrapper/cxx/runtime_rules.hpp"
#include "wrapper/plan/plan.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hostpin::bind {

/// The GPU settings that a binding provides to builds. All are computed when the binding is made.
struct BoundCapabilities {
  std::string list; ///< as given; `--refresh` decides again from it
  bool forward_compatible = true;
  std::vector<std::pair<std::string, std::string>> variables; ///< environment variables, with their values
  std::optional<GpuPolicy> named_policy = {}; ///< by --enforce or --no-enforce; `--refresh` keeps it
  GpuPolicy policy = GpuPolicy::as_named;     ///< that, or the configuration's
  // As in nvcc::GpuList, whatever the policy.
  std::vector<std::string> arguments = {}, variants = {};
};

/// The variable with the same meaning as what a CMake toolchain file sets.
constexpr const char* cmake_architectures = "CUDAARCHS";

/// The variables of every kind of build that can express the expansion; `notes` lists those that cannot.
/// `toolkit`: its release determines which variants it compiles for.
BoundCapabilities bound_capabilities(const std::string& list, bool forward_compatible,
                                     const gpus::GpuExpansion& expansion, const std::vector<gpus::Gpu>& gpus,
                                     const Version& toolkit, std::vector<std::string>& notes);

/// One decision: which compiler compiles, which links, for which toolkit, and every rejected candidate.
struct Binding {
  plan::OwnPlan plan; ///< what calls follow, except fields that come from the members below
  Request request;    ///< names that lead to the same decision again, all of them explicit
  Config config;      ///< with which it was made
  Toolkit toolkit;
  Compiler stdenv;
  BoundLoader loader; ///< of what another machine runs
  Judgement host;
  std::string host_origin; ///< why this host compiler, as text
  std::vector<Judgement> candidates;
  std::vector<BrokenCompiler> broken;
  LinkPlan link;
  /// Runs programs of a foreign target here, see emulator.hpp; empty if nothing does, and for this machine.
  std::vector<std::string> emulator;
  std::vector<std::string> notes; ///< about the decision, for the user; may be empty
  bool answers_identity = true;   ///< policy: hostpin may answer nvcc's identity query
  std::string identity;           ///< bytes of the file `identity`; empty: the compiler is run each time
  std::string identity_because;   ///< why it is empty, as text
  std::optional<BoundCapabilities> capabilities; ///< nothing: builds set their own architectures
  std::vector<std::string> dependencies;         ///< files of the toolkit and the two compilers
  std::vector<std::string> looked; ///< files and directories that discovery and configuration depended on
  Acceptance acceptance;           ///< the ranges that the host compiler was judged by
};

/// The current state of a path, to be checked later. The result refers to `path`.
plan::PlanFile file_identity(const std::string& path, const Files& files);

/// Which of a binding's files a plan re-checks: an unbound call also re-checks what discovery depended on.
enum class Scope { decision, discovery };

struct PlanPlace {
  std::string home;    ///< directory of `c++`; empty for a self-contained one
  std::string hostpin; ///< the hostpin command, absolute
};

/// The launcher's form of a binding.
std::string plan_bytes(const Binding& binding, Scope scope, const PlanPlace& place, const Files& files);

/// binding.toml, for people and tools. It contains no time of day and no inode: the same inputs give the same
/// bytes.
std::string binding_toml(const Binding& binding, const Files& files);

/// A CMake toolchain file that works wherever the directory is.
std::string toolchain_cmake(const Binding& binding);

/// The command that configures a CMake project with the toolchain file in this bound directory. Only that
/// file passes GPUs and a target to CMake, and leads every release of FindCUDAToolkit to the toolkit of the
/// binding (docs/build-systems.md).
std::string cmake_command(const std::string& directory);

/// Identifies the decision, whatever the states of its files: 16 hexadecimal digits.
std::string decision_id(const Binding& binding, const PlanPlace& place, const Files& files);

/// `GCC 13.3.0 (/usr/bin/g++-13)`.
std::string label(const Compiler& compiler);

/// The same for the command that compiles, which may lack options of the stdenv's or have one more.
std::string host_label(const Binding& binding);

/// `GCC 13.3.0`, `Clang 17.0.6`, or the product's own name.
std::string release_name(const Compiler& compiler);

/// The request from which a bound directory was made, as its binding.toml has it.
struct Recorded {
  Request request;
  bool named = false; ///< its host compiler was named on an nvcc call
  bool view = false;  ///< it is inside a toolkit view
  std::string slices; ///< directory of the slices; empty: none are used
  std::optional<BoundCapabilities> capabilities;
};

/// Reads `directory`/binding.toml; an error if it is missing or was not written by hostpin.
Result<Recorded> read_recorded(const Files& files, const std::string& directory);

/// The decision in `directory`: the commands come from the bytes `plan`, names and reasons from binding.toml.
/// Dependencies and verdicts are left out.
Result<Binding> read_binding(const Files& files, const std::string& directory, std::string_view plan);

} // namespace hostpin::bind
