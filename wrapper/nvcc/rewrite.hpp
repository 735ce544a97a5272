// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/cmdline/nvcc_command.hpp"
#include "wrapper/nvcc/nvcc_environment.hpp"

#include <forward_list>
#include <string>
#include <vector>

namespace hostpin::nvcc {

/// The call to make instead. The pointers lead into the call that was rewritten, into its parsed form and
/// into `owned`.
struct Rewrite {
  std::vector<const char*> arguments; ///< without argv[0] and without a null at the end
  std::vector<VariableChange> variables;
  std::forward_list<std::string> owned;
};

/// The same call with `ours` as its host compiler: in front as `-ccbin <ours>` when nobody named one, else in
/// every place that holds the value which wins, so that nvcc sees as many different values as before and
/// warns as before. An options file that names it, or that cannot be read twice, is replaced by its words; a
/// flags variable that cannot carry `ours` (its words cannot hold blanks) moves into the arguments. All else
/// keeps its bytes and its order.
Rewrite rewrite(const cmdline::NvccCall& call, const cmdline::NvccCommand& command, const char* ours);

/// The same call with the host compiler it names, or none: nothing changes but that an options file which
/// cannot be read twice, and was read to find the name, is replaced by its words.
Rewrite as_given(const cmdline::NvccCall& call, const cmdline::NvccCommand& command);

} // namespace hostpin::nvcc
