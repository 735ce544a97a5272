// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "wrapper/bind/binding.hpp"

#include <string>

namespace hostpin::bind {

/// Puts the manylinux policy that the request names, for the architecture of the stdenv's programs, into the
/// plan; nothing without one. `data`: directory of the data files. An error for a name that is no policy, and
/// if links of this binding are not verified, so that nothing would be compared.
Result<void> set_policy(Binding& binding, const Request& request, const Files& files,
                        const std::string& data);

} // namespace hostpin::bind
