// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "wrapper/cxx/role.hpp"
#include "wrapper/plan/plan.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::cxx {

/// What `c++` does with a call.
struct Decision {
  enum class Act { run_host, run_link, refuse };
  Act act = Act::run_host;
  std::string
      message;      ///< of a refusal; otherwise a note for stderr, mostly empty. No prefix, no final newline
  std::string hint; ///< what to do next; may be empty
  bool without_lto = false;          ///< the flags for link-time code are cancelled
  bool unpinned = false;             ///< a link that the host compiler makes
  ErrorKind kind = ErrorKind::other; ///< of a refusal
};

/// Applies the plan's runtime rules. A feature that cannot cross is refused if the host compiler would
/// generate code with it. A link may name it: no code of the host compiler has it, and the stdenv's own
/// objects may. `lto_policy`: what to do when link-time code would be refused.
Decision choose_driver(const plan::Plan& plan, const CxxCall& call, CheckPolicy lto_policy);

/// The arguments of a call that compiles nvcc's registration stub, without those for features that cannot
/// cross: they are meant for the user's own objects. For GCC always without -flto: the LTO objects of the
/// stub and of every .cu file define one assembler label, `fatbinData`, so that two of them do not link.
std::vector<const char*> stub_arguments(const plan::Plan& plan, std::span<const char* const> arguments);

/// Why the output of a link is not compared with the libraries it will load; empty if it is.
std::string_view reason_not_verified(const plan::Plan& plan, const CxxCall& call);

/// The argv of a decision that runs a command: the command with its leading arguments, then the caller's
/// arguments unchanged, then the plan's last ones, those that the decision adds and `added`, then a null
/// pointer. The strings belong to the plan and the caller.
std::vector<const char*> exec_arguments(const plan::Plan& plan, const Decision& decision,
                                        std::span<const char* const> arguments,
                                        std::span<const char* const> added = {});

} // namespace hostpin::cxx
