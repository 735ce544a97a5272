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

namespace hostpin::probe {

/// The target machine.
enum class Machine { x86_64, aarch64, ppc64le };

/// `x86_64`, `aarch64`, `ppc64le`.
const char* to_string(Machine machine);
std::optional<Machine> machine_named(std::string_view name);

/// A compiler that need not exist: the header is preprocessed with its macros.
struct Hypothesis {
  Family family = Family::gcc;
  int major = 0;
  int minor = 0;
  int patch = 0;

  bool operator==(const Hypothesis&) const = default;
};

/// The macros of the compiler, the C++ language and nvcc that are defined before the header is read.
std::string predefined_macros(const Hypothesis& hypothesis, const Version& toolkit, Machine machine);

/// A gate and the files it was read from.
struct Evaluation {
  Gate gate;
  /// Every file that was read or looked for, absolute, with its status before that; zeros if there was none.
  std::vector<std::pair<std::string, FileStatus>> files;
};

/// Preprocesses a toolkit's crt/host_config.h once for every hypothetical GCC and Clang, none of which need
/// be installed: their macros are predefined. Minors and patch levels are tried only if the header uses
/// them.
///
/// Includes in angle brackets are the C library's and are read as empty files. An error if the header cannot
/// be evaluated: it or a file that it includes is missing, is not a regular file or larger than any
/// toolkit's, is malformed, or includes itself without end; it refuses every compiler; or it depends on the
/// release of the toolkit, which is not known (`toolkit` is empty).
Result<Evaluation> evaluate_header(const std::string& header, const std::optional<Version>& toolkit,
                                   Machine machine, const Files& files);

} // namespace hostpin::probe
