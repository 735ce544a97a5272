// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/why/syntax.hpp"

namespace clang {
class ASTContext;
} // namespace clang

namespace hostpin {

/// Fills in what the source uses, from its syntax tree.
void walk(clang::ASTContext& context, Syntax& syntax);

} // namespace hostpin
