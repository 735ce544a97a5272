// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/compiler/compiler.hpp"
#include "toolchains/judge/judge.hpp"

#include <string>
#include <vector>

namespace hostpin {

/// How a compiler relates to the stdenv and to the other compilers, which no verdict states.
struct Relation {
  std::string other_target; ///< its target, if that is not the stdenv's
  std::string wraps;        ///< the command, or else the front end, of the compiler that a wrapper runs
};

/// One for each compiler, in their order.
std::vector<Relation> relations(const std::vector<Compiler>& compilers, const Compiler& stdenv,
                                const Files& files);

/// True for a compiler that fits the toolkit and makes programs for another target than the stdenv: it
/// compiles nothing for this stdenv.
bool fits_other_target(const Judgement& judgement, const Relation& relation);

/// The verdict as a word: `other-target`, or to_string(Verdict).
std::string verdict_word(const Judgement& judgement, const Relation& relation);

/// The reason of the verdict, with what the relation adds.
std::string reason_of(const Judgement& judgement, const Relation& relation, const Compiler& stdenv);

} // namespace hostpin
