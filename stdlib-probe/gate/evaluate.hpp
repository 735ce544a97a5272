// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/version.hpp"
#include "toolchains/gate/gate.hpp"

#include <optional>
#include <string>
#include <utility>
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
  /// Every file that was read or looked for, absolute, as it was before; zeros where there was none.
  std::vector<std::pair<std::string, FileStatus>> files;
};

/// Preprocesses a toolkit's crt/host_config.h once for every hypothetical GCC and Clang, none of which need
/// be installed: their macros are set by hand. Minors and patch levels are asked for only where the header
/// looks at them.
///
/// Includes in angle brackets stand for the C library and are read as empty files. An error when the header
/// cannot be evaluated: it or a file of its own is missing, is no regular file or larger than any toolkit's,
/// is not well-formed, or includes itself without end; it refuses whoever comes; or it looks at the release
/// of a toolkit that is not known (`toolkit` is empty).
Result<Evaluation> evaluate_header(const std::string& header, const std::optional<Version>& toolkit,
                                   Machine machine, const Files& files);

} // namespace hostpin
