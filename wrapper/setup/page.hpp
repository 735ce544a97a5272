// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/terminal.hpp"
#include "wrapper/setup/license.hpp"
#include "wrapper/setup/plan.hpp"
#include "wrapper/setup/record.hpp"

#include <string>
#include <vector>

namespace hostpin::setup {

/// What will be done, as text: what is here, what will be fetched from where, its size and license.
std::string plan_page(const Plan& plan, const std::vector<License>& licenses, const std::string& directory,
                      const Terminal& terminal);

/// What an earlier run made.
std::string known_page(const KnownSetup& known, const Terminal& terminal);

/// Lines to paste for CMake, make and pip, each with its name.
std::string next_lines(const std::string& directory, const std::string& program, const Terminal& terminal);

} // namespace hostpin::setup
