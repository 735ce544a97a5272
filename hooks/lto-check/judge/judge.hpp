// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/judge/judgement.hpp"
#include "hooks/lto-check/judge/releases.hpp"
#include "hooks/lto-check/judge/rules.hpp"

#include <string>
#include <vector>

namespace hostpin {

/// What every judgement of one link is made with.
struct LinkContext {
  const Linker& linker;
  LinkShape shape;
  std::string driver; ///< how the compiler driver is called, for a cure; empty when there is none
  const StreamReleases& releases;
  bool by_nvcc = false; ///< options of a compiler are given to nvcc
};

/// What is to be said of one input, one judgement for each of its streams. For a member of an archive as if
/// it were certain that the link needs it: `doubt` tells what changes when it is not.
std::vector<Judgement> judge(const LtoInput& input, const LinkContext& context);

/// What lld makes of an object that it is given for its symbols: from 15 on it takes those of machine code
/// only. Returns whether that says all.
bool judge_for_symbols(Judgement& judgement, const Linker& linker);

/// Whether a plugin of this linker takes the stream, so that an archive's index must have been written with
/// that plugin as well.
bool goes_by_plugin(const Judgement& judgement, const Linker& linker);

/// Refuses a member that this link needs and its linker would not find: the archive's index does not name it.
/// Where undefined symbols are left open that is a silent loss.
void refuse_unlisted(Judgement& judgement, const LinkShape& shape);

/// Refuses a member of an archive that this linker does not take for want of any index.
void refuse_unindexed(Judgement& judgement);

/// Whether GCC is going to compile it together with the link's other LTO code, and it is a .cu file's: of
/// those one link takes one.
bool holds_device_label(const Judgement& judgement, const LinkContext& context);

/// Refuses such an input of a link that has several.
void refuse_device_label(Judgement& judgement, const LinkContext& context);

/// Takes back what was said of a member, as far as the link may do without it. `glance`: how a linker fares
/// that reads even those that it does not need.
void doubt(Judgement& judgement, Need need, const LinkContext& context, Glance glance = Glance::untold);

} // namespace hostpin
