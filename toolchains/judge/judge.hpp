// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/compiler/compiler.hpp"
#include "toolchains/gate/gate.hpp"
#include "toolchains/libc/comparison.hpp"
#include "toolchains/table/table.hpp"
#include "toolchains/toolkit/toolkit.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

enum class Verdict { fits, too_new, too_old, broken, unknown };

/// `fits`, `too-new`, `too-old`, `broken`, `unknown`.
const char* to_string(Verdict verdict);

/// The verdict on a compiler for one toolkit, the reason as text, and the source of that
/// (`crt/host_config.h:143`, a table row's source, `measured`).
struct Judgement {
  Compiler compiler;
  Verdict verdict = Verdict::unknown;
  std::string reason;
  std::string source;
  bool wants_another = false; ///< fits, but a row advises another compiler
};

/// The compilers that a toolkit accepts, as documented and as derived from its header. Either may be missing.
struct Acceptance {
  std::optional<DocumentedRange> documented;
  std::optional<Gate> derived;
  std::vector<LibcComparison> libcs = {}; ///< the C libraries that were compared with the toolkit
};

/// Judges one compiler: the stricter of documented and derived range, then exceptions, then its C library.
Judgement judge(const Compiler& compiler, const Toolkit& toolkit, const Acceptance& acceptance,
                const Table& table);

/// The stricter of both sides for a family.
Bounds allowed(Family family, const Acceptance& acceptance);

/// `GCC 6-13 or Clang 7-17`; empty if neither side is known.
std::string wanted(const Acceptance& acceptance);

/// One line for each upper end on which the two sides differ: `GCC: documented up to 15, the toolkit's own
/// gate up to 16`. Lower ends are left out: the documented ones are policy, which no gate enforces.
std::vector<std::string> disagreements(const Acceptance& acceptance);

struct Selection {
  Judgement chosen;
  std::string
      origin; ///< why this one: `the stdenv itself fits`, `newest fitting GCC`, `named by --host`, ...
};

/// What the user allows beyond the default rules, and what errors need.
struct SelectionRules {
  std::optional<Family> family;       ///< select from this family instead of the stdenv's
  std::string install;                ///< what to install, from install_hint; empty if unknown
  std::string fetch = {};             ///< how to get one without root; empty if nothing here can
  std::string name_option = "-ccbin"; ///< the option that names a host compiler, for hints
  std::size_t width = 80;             ///< of the table of reasons, if it can be that narrow
  std::vector<BrokenCompiler> broken =
      {}; ///< drivers that could not even be judged, for the table of reasons
};

/// Why a compiler that fits the toolkit nevertheless cannot compile for this stdenv: another target or C
/// library, or newer than the stdenv, whose libstdc++ then lacks symbols that its objects may need. Nothing
/// if it can.
std::optional<std::string> obstacle(const Compiler& host, const Compiler& stdenv);

/// The stdenv itself if it fits; else the newest fitting candidate of its family and target that is not newer
/// than it. A compiler that a row advises against (even the stdenv) is used only if there is no other.
/// `judged` includes the stdenv. The error has the whole table of reasons and a hint that names what
/// to install.
Result<Selection> select(const Compiler& stdenv, const std::vector<Judgement>& judged, const Toolkit& toolkit,
                         const Acceptance& acceptance, const SelectionRules& rules);

/// Majors of a family, newest first, that would fit this toolkit and stdenv, judged without being installed.
/// Empty if none would, as with a C library that the toolkit does not accept.
std::vector<int> fitting_majors(Family family, const Compiler& stdenv, const Toolkit& toolkit,
                                const Acceptance& acceptance, const Table& table);

/// The same as drivers: `g++-13`, `g++-12`, ...
std::vector<std::string> suggested_drivers(Family family, const std::vector<int>& majors);

} // namespace hostpin
