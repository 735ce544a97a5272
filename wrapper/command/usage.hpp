// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

namespace CLI {
class App;
class ParseError;
} // namespace CLI

namespace hostpin {

/// What is wrong with a command line, in the form of the other programs here, and which help to read.
Error usage_error(const CLI::App& app, const CLI::ParseError& wrong);

} // namespace hostpin
