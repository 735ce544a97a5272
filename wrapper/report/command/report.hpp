// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/survey/request.hpp"
#include "wrapper/command/context.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin::command {

struct ReportOptions {
  Request request;
  std::optional<std::string> bound;  ///< report on this bound directory
  std::string output;                ///< file to write; `-`: standard output
  std::vector<std::string> trees;    ///< for leak-check, and for the graph of libraries
  std::vector<std::string> answers;  ///< files that `leak-check --json` wrote
  std::vector<std::string> lto;      ///< inputs for lto-check
  std::vector<std::string> link;     ///< a link command for it instead
  std::optional<std::string> matrix; ///< a page of this merged matrix instead
  std::optional<std::string> before; ///< earlier results of it
};
int run_report(const Context& context, const ReportOptions& options);

} // namespace hostpin::command
