// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/loader/loader.hpp"
#include "toolchains/loader/proof.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::loader {

/// What a file that is linked for a manylinux policy may need of the system.
struct LinkPolicy {
  std::string_view name; ///< `manylinux_2_28_x86_64`
  /// With blanks between them: the newest version of each kind (`GLIBC_2.28`), and those without a number
  /// (`CXXABI_TM_1`). Versions of other kinds are not restricted.
  std::string_view versions;
  /// Sonames, with blanks between them; a name that ends in `*` means all that begin like it.
  std::string_view libraries;
};

/// A need beyond a policy.
struct ExcessNeed {
  std::string library; ///< its soname
  std::string version; ///< empty: the library itself

  bool operator==(const ExcessNeed&) const = default;
};

/// Versions that the policy's systems do not have, in the file's order, then libraries of the system that
/// they need not have. `is_of_system`: whether the loader finds a library where the system has its own, so
/// that the file does not bring it.
std::vector<ExcessNeed> excess_needs(const binary::Image& image, const LinkPolicy& policy,
                                     const std::function<bool(const std::string& library)>& is_of_system);

/// The source lines that refer to a symbol in an input of the link, as `file:line`; empty if unknown. A null
/// function: the program that finds them is not installed, which is in the component checks.
using SymbolLines =
    std::function<std::vector<std::string>(const std::string& input, const std::string& symbol)>;

/// Compares what the output needs with a policy. Disproved are shared libraries; a program is doubtful,
/// because most that a build links are tests and never part of a wheel. `finds_libraries`: whether
/// `link.places` describes the machine that runs the output; if not, libraries are not compared.
Proof prove_policy(const LinkToProve& link, const LinkPolicy& policy, bool finds_libraries,
                   const SymbolLines& lines);

} // namespace hostpin::loader
