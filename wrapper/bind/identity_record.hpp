// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"
#include "wrapper/bind/binding.hpp"

#include <string>

namespace hostpin {

class RememberingProcesses;

/// Obtains the query by which the binding's nvcc identifies its host compiler, has the compiler answer it,
/// and returns the bytes of an `identity` file. The error is why this compiler has to be run each time: it is
/// not a plain program, an argument of its command may make its answer depend on more than files, or it
/// answers two files of the same content differently.
Result<std::string> recorded_identity(const Binding& binding, const Environment& environment,
                                      const Files& files, const Processes& processes);

/// Puts the record into the binding, or the reason why there is none. With a `memory`, it is made again only
/// if one of its dependencies changed.
void record_identity(Binding& binding, const Environment& environment, const Files& files,
                     const Processes& processes, const RememberingProcesses* memory = nullptr);

} // namespace hostpin
