// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/facts/facts.hpp"
#include "stdlib-probe/facts/options.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"

#include <string>
#include <vector>

namespace hostpin {

struct HeaderAnswers {
  std::vector<Result<Facts>> facts;
  std::vector<std::string> looked; ///< directories that were searched for headers
};

/// What headers say without any compiler, read by Clang's preprocessor: one answer for each library and
/// target that --sysroot or --headers holds and that --target, --gcc and -stdlib= do not exclude. `resources`
/// is the directory whose `include` has Clang's own headers. An error when there is nothing to answer for.
Result<HeaderAnswers> header_facts(const Files& files, const FactsOptions& asked,
                                   const std::string& resources);

} // namespace hostpin
