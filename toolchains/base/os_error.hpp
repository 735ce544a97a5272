// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <cerrno>
#include <string>

namespace hostpin {

/// `cannot DOING: reason` for an error of a system call. The error of a full file system has its kind, and a
/// hint instead of `hint`.
tl::unexpected<Error> os_failure(const std::string& doing, int reason = errno, std::string hint = {});

/// The error after `context`, with its hint and kind: `a.tar: cannot write b: No space left on device`.
tl::unexpected<Error> failure_in(const std::string& context, Error error);

} // namespace hostpin
