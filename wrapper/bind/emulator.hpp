// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/compiler/compiler.hpp"

#include <string>
#include <vector>

namespace hostpin::bind {

/// The command that runs a program of the stdenv's on this machine, without the program: QEMU's user mode
/// emulator on PATH, and with -L where it finds the program's loader. Empty if there is none. Nothing is run.
/// `machine`: as QEMU names it, `aarch64`; `loader`: as programs ask for it; `sysroot`: may be empty.
std::vector<std::string> emulator(const std::string& machine, const std::string& loader,
                                  const std::string& sysroot, const Compiler& stdenv,
                                  const Environment& environment, const Files& files);

} // namespace hostpin::bind
