// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/judge/judge.hpp"
#include "toolchains/setup/packages.hpp"
#include "toolchains/table/table.hpp"
#include "wrapper/setup/asked.hpp"
#include "wrapper/setup/plan.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin::setup {

/// The toolkit that the compiler has to fit.
struct ChosenToolkit {
  Toolkit toolkit;       ///< only its version if it is to be fetched
  Acceptance acceptance; ///< of one that is there with its gate; else as documented
};

/// A toolkit that a suite has.
struct OfferedToolkit {
  SuiteOffer suite; ///< with `toolkit`
};

/// The first suite, in the client's order, whose toolkit is one that the user asks for. The error names the
/// releases that there are.
Planned<OfferedToolkit> choose_toolkit(PackageClient& client, const Asked& asked);

/// The acceptance of a toolkit that is not there; an error if the tables do not have its release.
Result<Acceptance> documented_acceptance(const Version& toolkit, const Table& table);

/// The compiler to use of those that are there: what hostpin bind would select, or one that the user asks
/// for. Nothing if none fits.
std::optional<Judgement> usable_compiler(const Compiler& stdenv, const std::vector<Judgement>& judged,
                                         const ChosenToolkit& toolkit, const Asked& asked,
                                         std::optional<Family> configured);

/// Whether a stdenv that is not there yet would be the compiler of that toolkit too, with the headers of its
/// own C library.
bool stdenv_fits(const Compiler& stdenv, const ChosenToolkit& toolkit, const Table& table);

/// A compiler to fetch.
struct OfferedCompiler {
  SuiteOffer suite; ///< that has it
  CompilerOffer compiler;
  std::string headers;               ///< as in Piece
  std::optional<SuiteOffer> c_suite; ///< whose C library headers are fetched, if `headers` is `piece`
  std::string why;                   ///< as text
};

/// The newest compiler that would fit toolkit and stdenv, from the first suite that has one, with C library
/// headers that fit: the machine's, else those of its suite, else those of another suite. The error names
/// what there is.
Planned<OfferedCompiler> choose_compiler(PackageClient& client, const Asked& asked, const Compiler& stdenv,
                                         const ChosenToolkit& toolkit, const Table& table,
                                         std::optional<Family> configured);

} // namespace hostpin::setup
