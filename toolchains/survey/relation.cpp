// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/survey/relation.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/compiler/real_driver.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hostpin {

std::vector<Relation> relations(const std::vector<Compiler>& compilers, const Compiler& stdenv,
                                const Files& files) {
  const auto wraps = [&](const Compiler& compiler) { return is_wrapper(compiler.command.front(), files); };
  std::vector<Relation> all;
  for (const Compiler& compiler : compilers) {
    Relation relation;
    if (compiler.target != stdenv.target)
      relation.other_target = compiler.target;
    if (wraps(compiler)) {
      const auto plain = std::find_if(compilers.begin(), compilers.end(), [&](const Compiler& each) {
        return !compiler.front_end.empty() && each.front_end == compiler.front_end &&
               each.target == compiler.target && !wraps(each);
      });
      relation.wraps = plain != compilers.end() ? shell_words(plain->command) : compiler.front_end;
    }
    all.push_back(std::move(relation));
  }
  return all;
}

bool fits_other_target(const Judgement& judgement, const Relation& relation) {
  return judgement.verdict == Verdict::fits && !relation.other_target.empty();
}

std::string verdict_word(const Judgement& judgement, const Relation& relation) {
  return fits_other_target(judgement, relation) ? "other-target" : to_string(judgement.verdict);
}

std::string reason_of(const Judgement& judgement, const Relation& relation, const Compiler& stdenv) {
  std::string reason = judgement.reason;
  if (fits_other_target(judgement, relation))
    reason = fmt::format("makes programs for {}, not for {}", relation.other_target, stdenv.target);
  if (!relation.wraps.empty())
    reason += fmt::format("{}a wrapper of {}", reason.empty() ? "" : "; ", relation.wraps);
  return reason;
}

} // namespace hostpin
