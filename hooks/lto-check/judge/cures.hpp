// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/judge/judge.hpp"
#include "hooks/lto-check/judge/rules.hpp"

#include <string>

namespace hostpin {

/// How to fix a stream that does not fit, for people; never empty.
std::string cure(const Bitstream& stream, Treatment treated, const LinkContext& context);

/// The same for host halves of several .cu files in one link.
std::string device_label_cure(const Bitstream& stream, const LinkContext& context);

} // namespace hostpin
