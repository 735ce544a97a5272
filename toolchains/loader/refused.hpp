// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/severity.hpp"
#include "toolchains/binary/refusals.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin::loader {

/// How a file that a check judges is used.
enum class Use {
  program,   ///< started
  installed, ///< linked with or opened by others, which is not known
  opened,    ///< a running process opens it, or what needs it
  module,    ///< a running process opens it itself
};

/// The releases of glibc that a file is for.
struct GlibcRange {
  int oldest = 17; ///< 17 for 2.17, the oldest of the manylinux tags in use
  /// The file has to load with each newer release too; otherwise one release that loads it may suffice.
  bool promised = false;
};

/// What every command reports of a refusal.
struct Verdict {
  /// The name that the rule has in all commands: `executable-stack`, `misaligned-segment`, `loader-refuses`.
  std::string_view rule;
  Severity severity = Severity::error;
  std::string_view message; ///< the loader's, or how the process ends
  std::string described;    ///< follows the name of the file, without a full stop; contains the message
  std::string_view fix;     ///< an imperative in lower case, without a full stop
};

/// The verdicts for a file of that use and a glibc of the range, each message of the loader once.
std::vector<Verdict> verdicts(const std::vector<binary::Refusal>& refusals, Use use,
                              const GlibcRange& range = {});

} // namespace hostpin::loader
