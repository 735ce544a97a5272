// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/libc/declaration.hpp"

#include "stdlib-probe/parse/parse.hpp"

#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/TypeLoc.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

namespace hostpin::probe {

namespace {

/// Errors about what is compared here: the function is declared differently elsewhere. Clang has parsed the
/// declaration itself.
bool is_about_two(unsigned id) {
  constexpr unsigned ids[] = {
      clang::diag::err_mismatched_exception_spec,  clang::diag::err_missing_exception_specification,
      clang::diag::err_ovl_diff_return_type,       clang::diag::err_conflicting_types,
      clang::diag::err_different_language_linkage, clang::diag::err_static_non_static,
      clang::diag::err_constexpr_redecl_mismatch,  clang::diag::err_redefinition,
      clang::diag::err_redefinition_different_kind};
  return std::find(std::begin(ids), std::end(ids), id) != std::end(ids);
}

Promise promise_of(const clang::FunctionProtoType& type) {
  switch (type.getExceptionSpecType()) {
  case clang::EST_DynamicNone:
  case clang::EST_BasicNoexcept:
  case clang::EST_NoexceptTrue:
    return Promise::nothing;
  case clang::EST_NoexceptFalse:
    return Promise::throws;
  case clang::EST_Dynamic:
  case clang::EST_MSAny:
    return Promise::listed;
  default:
    return Promise::none;
  }
}

class Collector {
public:
  Collector(const clang::CompilerInstance& compiler, const std::vector<Mistake>& mistakes,
            const std::vector<std::string>& toolkit_directories)
      : sources_(compiler.getSourceManager()), toolkit_directories_(toolkit_directories) {
    for (const Mistake& mistake : mistakes)
      if (!is_about_two(mistake.id))
        mistakes_.emplace(std::pair(mistake.file, mistake.line), &mistake);
  }

  void visit(const clang::DeclContext& scope) {
    for (const clang::Decl* const declaration : scope.decls()) {
      if (const auto* const block = llvm::dyn_cast<clang::LinkageSpecDecl>(declaration))
        visit(*block);
      else if (const auto* const function = llvm::dyn_cast<clang::FunctionDecl>(declaration))
        add(*function);
    }
  }

  Declarations take() { return std::move(found_); }

private:
  void add(const clang::FunctionDecl& function) {
    const clang::TypeSourceInfo* const written = function.getTypeSourceInfo();
    const clang::SourceLocation at = sources_.getExpansionLoc(function.getLocation());
    if (!function.getDeclName().isIdentifier() || function.isImplicit() || written == nullptr ||
        at.isInvalid())
      return;
    // The type as written: Clang copies the promise of an earlier declaration to one without.
    const auto* const type = written->getType()->getAs<clang::FunctionProtoType>();
    if (type == nullptr)
      return;
    const std::string file = sources_.getFilename(at).str();
    const unsigned line = sources_.getExpansionLineNumber(at);
    const Side& side = side_of(file);
    if (function.isInvalidDecl())
      if (const auto mistake = mistakes_.find({file, line}); mistake != mistakes_.end()) {
        found_.not_understood.push_back(
            {function.getName().str(), side.toolkit, to_string(*mistake->second)});
        return;
      }
    FunctionDeclaration& declaration = found_.all.emplace_back();
    declaration.name = function.getName().str();
    for (const clang::QualType parameter : type->getParamTypes())
      declaration.parameters += (declaration.parameters.empty() ? "" : ", ") + canonical(parameter);
    if (type->isVariadic())
      declaration.parameters += ", ...";
    declaration.result = canonical(type->getReturnType());
    declaration.promise = promise_of(*type);
    declaration.c_linkage = function.getLexicalDeclContext()->isExternCContext();
    declaration.system = sources_.isInSystemHeader(at);
    declaration.builtin = std::any_of(
        function.specific_attr_begin<clang::AnnotateAttr>(),
        function.specific_attr_end<clang::AnnotateAttr>(),
        [](const clang::AnnotateAttr* attribute) { return attribute->getAnnotation() == builtin_mark; });
    declaration.file = side.file;
    declaration.line = line;
    declaration.toolkit = side.toolkit;
  }

  static std::string canonical(clang::QualType type) {
    return type.getCanonicalType().getUnqualifiedType().getAsString();
  }

  struct Side {
    std::string file; ///< absolute, without . and ..
    bool toolkit = false;
  };

  const Side& side_of(const std::string& file) {
    auto [at, fresh] = sides_.try_emplace(file);
    if (fresh) {
      Side& side = at->second;
      side.file = std::filesystem::absolute(file).lexically_normal().string();
      side.toolkit =
          std::any_of(toolkit_directories_.begin(), toolkit_directories_.end(),
                      [&](const std::string& directory) { return side.file.starts_with(directory + '/'); });
    }
    return at->second;
  }

  const clang::SourceManager& sources_;
  const std::vector<std::string>& toolkit_directories_;
  std::map<std::pair<std::string, unsigned>, const Mistake*> mistakes_;
  std::map<std::string, Side> sides_;
  Declarations found_;
};

bool allows_all(Promise promise) {
  return promise == Promise::none || promise == Promise::throws;
}

/// After a first declaration in a system header EDG accepts a promise that is added or omitted, after one of
/// a builtin function only one that is omitted. The location of the second declaration does not matter.
bool promises_clash(const FunctionDeclaration& first, const FunctionDeclaration& second) {
  const bool same = allows_all(first.promise) ? allows_all(second.promise) : first.promise == second.promise;
  if ((first.system || first.builtin) && second.promise == Promise::none)
    return false;
  if (first.system && allows_all(first.promise))
    return false;
  return !same;
}

const char* specification(Promise promise) {
  switch (promise) {
  case Promise::throws:
    return "noexcept(false)";
  case Promise::nothing:
    return "noexcept";
  case Promise::listed:
    return "throw(...)";
  case Promise::none:
    break;
  }
  return "no exception specification";
}

std::string differing_part(Clash::Kind kind, const FunctionDeclaration& declaration) {
  switch (kind) {
  case Clash::Kind::types:
    return declaration.result + " (" + declaration.parameters + ')';
  case Clash::Kind::linkage:
    return declaration.c_linkage ? "C linkage" : "C++ linkage";
  case Clash::Kind::exceptions:
    break;
  }
  return specification(declaration.promise);
}

Clash clash(Clash::Kind kind, const FunctionDeclaration& first, const FunctionDeclaration& second) {
  const auto side = [&](const FunctionDeclaration& of) {
    return Clash::Declaration{of.file, of.line, of.promise != Promise::nothing, differing_part(kind, of)};
  };
  return {first.name, side(first.toolkit ? first : second), side(first.toolkit ? second : first), kind};
}

/// A function: its first declaration, and whether the other side's has been compared with it.
struct Function {
  const FunctionDeclaration* first = nullptr;
  bool c_linkage = false;
  bool shared = false;
};

/// Overloads of one name.
class Overloads {
public:
  /// The clash of one more declaration with earlier ones, if it is the first of this name.
  std::optional<Clash> add(const FunctionDeclaration& declaration) {
    std::optional<Clash> found = added(declaration);
    return std::exchange(reported_, reported_ || found) ? std::nullopt : std::move(found);
  }

  unsigned shared() const {
    return static_cast<unsigned>(std::count_if(functions_.begin(), functions_.end(),
                                               [](const Function& function) { return function.shared; }));
  }

private:
  std::optional<Clash> added(const FunctionDeclaration& declaration) {
    for (Function& known : functions_)
      if (known.first->parameters == declaration.parameters)
        return declare_again(known, declaration);
    functions_.push_back({&declaration, declaration.c_linkage, false});
    if (declaration.c_linkage)
      for (const Function& known : functions_)
        if (known.c_linkage && known.first->toolkit != declaration.toolkit)
          return clash(Clash::Kind::types, *known.first, declaration);
    return std::nullopt;
  }

  static std::optional<Clash> declare_again(Function& known, const FunctionDeclaration& declaration) {
    const FunctionDeclaration& first = *known.first;
    if (first.toolkit == declaration.toolkit)
      return std::nullopt; // a header may repeat itself
    known.shared = true;
    if (first.result != declaration.result)
      return clash(Clash::Kind::types, first, declaration);
    if (declaration.c_linkage && !known.c_linkage)
      return clash(Clash::Kind::linkage, first, declaration);
    if (promises_clash(first, declaration))
      return clash(Clash::Kind::exceptions, first, declaration);
    return std::nullopt;
  }

  std::vector<Function> functions_;
  bool reported_ = false; // a header that is read twice has the same clash twice
};

} // namespace

Declarations declarations_in(const clang::CompilerInstance& compiler, const std::vector<Mistake>& mistakes,
                             const std::vector<std::string>& toolkit_directories) {
  Collector collector(compiler, mistakes, toolkit_directories);
  collector.visit(*compiler.getASTContext().getTranslationUnitDecl());
  return collector.take();
}

std::vector<Clash> clashes_among(const std::vector<FunctionDeclaration>& declarations, unsigned& compared) {
  std::map<std::string, Overloads> by_name;
  std::vector<Clash> clashes;
  for (const FunctionDeclaration& declaration : declarations)
    if (auto found = by_name[declaration.name].add(declaration))
      clashes.push_back(*std::move(found));
  std::stable_sort(clashes.begin(), clashes.end(),
                   [](const Clash& a, const Clash& b) { return a.name < b.name; });
  compared = 0;
  for (const auto& [name, overloads] : by_name)
    compared += overloads.shared();
  return clashes;
}

} // namespace hostpin::probe
