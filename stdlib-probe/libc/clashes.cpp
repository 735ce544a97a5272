// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/libc/clashes.hpp"

#include "stdlib-probe/libc/declaration.hpp"
#include "stdlib-probe/libc/source.hpp"
#include "stdlib-probe/parse/parse.hpp"

#include <algorithm>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/Preprocessor.h>
#include <utility>

#include <fmt/format.h>

namespace hostpin {

namespace {

// Real pairs share some two hundred functions. If far fewer are found, something hides them, and the absence
// of a clash means nothing.
constexpr unsigned fewest_compared = 20;

constexpr const char* advice =
    "are these the include directories of the toolkit and of a C library for this target?";

/// The value of a macro that is defined as a number; else empty.
std::string number_of(clang::Preprocessor& preprocessor, llvm::StringRef macro) {
  const clang::IdentifierInfo* const name = preprocessor.getIdentifierInfo(macro);
  const clang::MacroInfo* const info = preprocessor.getMacroInfo(name);
  if (info == nullptr || info->getNumTokens() != 1 ||
      info->getReplacementToken(0).isNot(clang::tok::numeric_constant))
    return {};
  return preprocessor.getSpelling(info->getReplacementToken(0));
}

std::string c_library(clang::Preprocessor& preprocessor) {
  // uClibc claims to be glibc as well.
  if (preprocessor.isMacroDefined("__UCLIBC__"))
    return "uClibc";
  const std::string major = number_of(preprocessor, "__GLIBC__");
  const std::string minor = number_of(preprocessor, "__GLIBC_MINOR__");
  if (!major.empty() && !minor.empty())
    return fmt::format("glibc {}.{}", major, minor);
  return preprocessor.isMacroDefined("__BIONIC__") ? "bionic" : "";
}

/// Names a declaration that could not be parsed and that the other side declares too; empty if there is none.
std::string not_understood(const Declarations& declarations) {
  for (const Declarations::NotUnderstood& each : declarations.not_understood)
    for (const FunctionDeclaration& other : declarations.all)
      if (other.name == each.name && other.toolkit != each.toolkit)
        return fmt::format("the declaration of {} cannot be parsed: {}", each.name, each.why);
  return {};
}

} // namespace

Result<Comparison> compare_declarations(const ToolkitHeaders& toolkit, const HostHeaders& host,
                                        const std::string& resources) {
  auto plan = plan_reading(toolkit, host, resources);
  if (!plan)
    return tl::unexpected(std::move(plan.error()));
  Comparison comparison;
  Declarations declarations;
  const auto parsed =
      parse(plan->source, [&](const clang::CompilerInstance& compiler, const std::vector<Mistake>& mistakes) {
        declarations = declarations_in(compiler, mistakes, plan->toolkit_directories);
        comparison.c_library = c_library(compiler.getPreprocessor());
      });
  if (!parsed)
    return tl::unexpected(parsed.error());
  for (const Mistake& mistake : parsed->mistakes)
    if (mistake.fatal || mistake.lexical)
      return failure(to_string(mistake), advice);

  comparison.clashes = clashes_among(declarations.all, comparison.compared);
  if (const std::string why = not_understood(declarations); comparison.clashes.empty() && !why.empty())
    return failure(why, advice);
  if (comparison.compared < fewest_compared)
    return failure(fmt::format("only {} functions are declared by both the toolkit and the C library",
                               comparison.compared),
                   advice);
  comparison.system =
      std::any_of(declarations.all.begin(), declarations.all.end(),
                  [](const FunctionDeclaration& each) { return each.toolkit && each.system; });
  comparison.files.assign(parsed->files.begin(), parsed->files.end());
  comparison.files.insert(comparison.files.end(), plan->absent.begin(), plan->absent.end());
  return comparison;
}

} // namespace hostpin
