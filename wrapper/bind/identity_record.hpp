// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "wrapper/bind/binding.hpp"

namespace hostpin::bind {

/// Obtains the query by which the binding's nvcc identifies its host compiler, has the compiler answer it,
/// and puts the bytes of an `identity` file into the binding, or else the reason why this compiler has to be
/// run each time: it is not a plain program, an argument of its command may make its answer depend on more
/// than files, or it answers two files of the same content differently.
void record_identity(Binding& binding, const Environment& environment, const Files& files,
                     const Processes& processes);

} // namespace hostpin::bind
