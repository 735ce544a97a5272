// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/compiler/compiler.hpp"
#include "toolchains/judge/judge.hpp"
#include "toolchains/library/link_plan.hpp"
#include "toolchains/loader/places.hpp"
#include "toolchains/survey/request.hpp"
#include "toolchains/toolkit/toolkit.hpp"
#include "wrapper/bind/capabilities.hpp"
#include "wrapper/cxx/runtime_rules.hpp"
#include "wrapper/plan/plan.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// One decision: which compiler compiles, which links, for which toolkit, and every rejected candidate.
struct Binding {
  OwnPlan plan;    ///< what calls follow, except fields that come from the members below
  Request request; ///< names that lead to the same decision again, all of them explicit
  Config config;   ///< with which it was made
  Toolkit toolkit;
  Compiler stdenv;
  Judgement host;
  std::string host_origin; ///< why this host compiler, as text
  std::vector<Judgement> candidates;
  std::vector<BrokenCompiler> broken;
  LinkPlan link;
  std::vector<std::string> notes; ///< about the decision, for the user; may be empty
  bool answers_identity = true;   ///< policy: hostpin may answer nvcc's identity query
  std::string identity;           ///< bytes of the file `identity`; empty: the compiler is run each time
  std::string identity_because;   ///< why it is empty, as text
  std::optional<BoundCapabilities> capabilities; ///< nothing: builds set their own architectures
  std::vector<std::string> rests_on;             ///< files of the toolkit and the two compilers
  std::vector<std::string> looked; ///< files and directories that discovery and configuration depended on
  Acceptance acceptance;           ///< the ranges that the host compiler was judged by
};

/// The current state of a path, to be checked later. The result refers to `path`.
PlanFile file_identity(const std::string& path, const Files& files);

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

/// Identifies the decision, whatever the states of its files: 16 hexadecimal digits.
std::string decision_id(const Binding& binding, const PlanPlace& place, const Files& files);

/// `GCC 13.3.0 (/usr/bin/g++-13)`.
std::string label(const Compiler& compiler);

/// `GCC 13.3.0`, `Clang 17.0.6`, or the product's own name.
std::string release_name(const Compiler& compiler);

} // namespace hostpin
