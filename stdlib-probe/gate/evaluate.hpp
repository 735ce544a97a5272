// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/version.hpp"
#include "toolchains/gate/gate.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// The machine that the compiled program is for.
enum class Machine { x86_64, aarch64 };

/// `x86_64`, `aarch64`.
const char* to_string(Machine machine);
std::optional<Machine> machine_named(std::string_view name);

/// A gate and the files it was read from.
struct Evaluation {
  Gate gate;
  std::vector<std::string> files; ///< absolute paths as opened: the header and what it includes of its own
};

/// Preprocesses a toolkit's crt/host_config.h once for every hypothetical GCC and Clang, none of which need
/// be installed: their macros are set by hand. Minors are asked for only where the header looks at them.
///
/// Includes in angle brackets stand for the C library and are read as empty files. An error when the header
/// cannot be evaluated: it is no regular file, is larger than any toolkit's, lacks a file of its own, is not
/// well-formed, or includes itself without end.
Result<Evaluation> evaluate_header(const std::string& header, const Version& toolkit, Machine machine,
                                   const Files& files);

} // namespace hostpin
