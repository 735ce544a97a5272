// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/compiler/discovery.hpp"
#include "toolchains/compiler/probe.hpp"
#include "toolchains/survey/survey.hpp"
#include "toolchains/table/platforms.hpp"

#include <optional>
#include <string>
#include <vector>

// What --target and --sysroot mean for the compilers and the toolkit of a survey.

namespace hostpin {

/// What `Request::target` means.
struct WantedTarget {
  std::string triple;                     ///< empty: nothing is wanted, and the target is the stdenv's
  std::vector<const Platform*> platforms; ///< that it can mean; of a platform's name that one
};

/// An error for what NVIDIA publishes no CUDA for, for Windows, and for a sysroot that is not a directory:
/// some compilers silently take their own headers and libraries then.
Result<WantedTarget> wanted_target(const Request& request, const std::vector<Platform>& platforms,
                                   const Files& files);

/// The candidate with `--sysroot=`. An error if it has another one.
Result<DriverCandidate> with_sysroot(DriverCandidate candidate, const std::string& sysroot);

/// Gives it to the candidates whose names have the target of the stdenv's name, so that they are probed as
/// they would be called.
void add_sysroot(std::vector<DriverCandidate>& candidates, const Result<DriverCandidate>& stdenv,
                 const std::string& sysroot);

/// An error if the stdenv has the C library's headers from elsewhere, as Debian's cross GCC, which finds
/// those of its own first.
std::optional<Error> unused_sysroot(const Compiler& stdenv, const std::string& sysroot, const Files& files);

/// The stdenv that makes programs for `triple`: the named compiler, else `cross`, the driver of that name
/// on PATH, else any probed driver of that target. `found`: what would be the stdenv without a target.
Result<Compiler> stdenv_for(const std::string& triple, const Request& request, Result<Compiler> found,
                            std::optional<Result<Compiler>> cross, const std::vector<ProbeAnswer>& answers,
                            const SurveyInputs& inputs);

/// What to tell the user of a target: that $CXX (`found`, what would be the stdenv without a target) was
/// passed over for `stdenv`, and that the toolkit has files of another platform with the same triple.
std::vector<std::string> target_notes(const WantedTarget& wanted, const Environment& environment,
                                      const Result<Compiler>& found, const Compiler& stdenv,
                                      const Toolkit& toolkit);

/// The toolkit for what the stdenv makes; unchanged if this machine runs that. `preprocessor`: see
/// probe_toolkits.
Result<Toolkit> for_stdenv(Result<Toolkit> toolkit, const Result<Compiler>& stdenv,
                           const WantedTarget& wanted, const SurveyInputs& inputs,
                           const std::string& preprocessor);

} // namespace hostpin
