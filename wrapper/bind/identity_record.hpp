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

/// Has the binding's nvcc put its question who its host compiler is, lets the compiler answer it, and gives
/// the bytes of an `identity` file. The error says why this compiler has to be asked each time: it is no
/// plain program, an argument of its command may make its answer depend on more than files, or it answers two
/// files of the same content differently.
Result<std::string> recorded_identity(const Binding& binding, const Environment& environment,
                                      const Files& files, const Processes& processes);

/// Puts the record into the binding, or why there is none. With a `memory`, it is made again only where
/// something changed that it rests on.
void record_identity(Binding& binding, const Environment& environment, const Files& files,
                     const Processes& processes, const RememberingProcesses* memory = nullptr);

} // namespace hostpin
