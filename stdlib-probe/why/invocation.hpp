// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/compiler/compiler.hpp"

#include <span>
#include <string>
#include <vector>

namespace hostpin {

/// A compile command taken apart.
struct Invocation {
  std::string driver;               ///< the compiler itself, behind ccache and the like
  std::vector<std::string> flags;   ///< what decides how the source is compiled
  std::vector<std::string> sources; ///< as spelt
};

/// Leaves out launchers, whatever names or adds an output (-o, -MD, -save-temps, ...), what only a link uses,
/// and what hides the truth from an object (-flto, -emit-llvm, -gsplit-dwarf, -ffile-prefix-map). `words` are
/// without response files. An error when no compiler is named, or when it is one that cannot be followed.
Result<Invocation> invocation(std::span<const std::string> words);

/// The command that compiles `source` to `object` and writes nothing else, with lines and inlined calls in
/// its debug information.
std::vector<std::string> object_command(const Invocation& invocation, Family family,
                                        const std::string& source, const std::string& object);

/// Whether a source is C by that command: by -x, else by its name, which a driver of C++ such as g++ takes
/// for C++ all the same.
bool is_c(const Invocation& invocation, const std::string& source);

} // namespace hostpin
