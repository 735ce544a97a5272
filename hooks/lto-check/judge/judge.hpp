// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/judge/releases.hpp"
#include "hooks/lto-check/judge/rules.hpp"

#include <string>
#include <vector>

namespace hostpin::lto {

/// The link that inputs are judged for.
struct LinkContext {
  const Linker& linker;
  LinkShape shape;
  std::string driver; ///< the compiler driver's command, for a suggested fix; empty if there is none
  const StreamReleases& releases;
  bool by_nvcc = false; ///< compiler options are passed through nvcc
};

/// Judges an input: one judgement for each of its streams. A member of an archive is judged as if the link
/// certainly needed it; `doubt` changes that.
std::vector<Judgement> judge(const LtoInput& input, const LinkContext& context);

/// Judges an object that lld is given for its symbols only: from 15 on it takes the symbols of machine code.
/// Returns whether that is the whole judgement.
bool judge_for_symbols(Judgement& judgement, const Linker& linker);

/// Whether a plugin of this linker takes the stream, so that an archive's index must have been written with
/// that plugin too.
bool goes_by_plugin(const Judgement& judgement, const Linker& linker);

/// Refuses a member that this link needs and its linker would not find, because the archive's index does not
/// list it. If undefined symbols are allowed, that is a silent loss.
void refuse_unlisted(Judgement& judgement, const LinkShape& shape);

/// Refuses a member of an archive that this linker does not take because it has no index.
void refuse_unindexed(Judgement& judgement);

/// Whether it is the host half of a .cu file that is compiled together with the link's other LTO code: a link
/// can have only one of those.
bool holds_device_label(const Judgement& judgement, const LinkContext& context);

/// Refuses such an input if a link has several.
void refuse_device_label(Judgement& judgement, const LinkContext& context);

/// Weakens the judgement of a member that the link may not need. `glance`: what happens if the linker reads
/// even members that it does not need.
void doubt(Judgement& judgement, Need need, const LinkContext& context, Glance glance = Glance::unexamined);

} // namespace hostpin::lto
