// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/facts/facts.hpp"
#include "stdlib-probe/facts/options.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"

#include <string>
#include <vector>

namespace hostpin::probe {

struct HeaderAnswers {
  std::vector<Result<Facts>> facts;
  std::vector<std::string> looked; ///< directories that were searched for headers
};

/// What headers define, read by Clang's preprocessor without any compiler: one answer for each library and
/// target in --sysroot or --headers that --target, --gcc and -stdlib= do not exclude. `resources`
/// is the directory whose `include` has Clang's own headers. An error if there is no such library.
Result<HeaderAnswers> header_facts(const Files& files, const FactsOptions& asked,
                                   const std::string& resources);

} // namespace hostpin::probe
