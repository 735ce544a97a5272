// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/naming.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Mangle.h>
#include <clang/AST/PrettyPrinter.h>
#include <clang/AST/QualTypeNames.h>
#include <llvm/Support/raw_ostream.h>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

/// Mangled prefixes of overloads for long double, and of the same for _Float128.
constexpr std::pair<std::string_view, std::string_view> float128_overloads[] = {
    {"_ZSt8to_charsPcS_e", "_ZSt8to_charsPcS_DF128_"},
    {"_ZSt10from_charsPKcS0_Re", "_ZSt10from_charsPKcS0_RDF128_"}};

} // namespace

struct Naming::State {
  explicit State(clang::ASTContext& context)
      : generator(context), mangler(clang::ItaniumMangleContext::create(context, context.getDiagnostics())),
        policy(context.getLangOpts()), ast(context) {
    policy.SuppressInlineNamespace = true;
    policy.SuppressDefaultTemplateArgs = true;
    policy.SuppressTagKeyword = true;
    policy.Bool = true;
    policy.AnonymousTagLocations = false;
  }
  mutable clang::ASTNameGenerator generator;
  std::unique_ptr<clang::ItaniumMangleContext> mangler;
  clang::PrintingPolicy policy;
  const clang::ASTContext& ast;
};

Naming::Naming(clang::ASTContext& context) : state_(std::make_unique<State>(context)) {}
Naming::~Naming() = default;

std::vector<std::string> Naming::symbols(const clang::NamedDecl* declaration) const {
  if (llvm::isa<clang::CXXConstructorDecl>(declaration) || llvm::isa<clang::CXXDestructorDecl>(declaration))
    return state_->generator.getAllManglings(declaration);
  std::string symbol = state_->generator.getName(declaration);
  if (symbol.empty())
    return {};
  std::vector<std::string> symbols{symbol};
  // Clang has no _Float128: GCC's headers declare the same functions for it as for long double.
  for (const auto& [beginning, with_float128] : float128_overloads)
    if (symbol.starts_with(beginning))
      symbols.push_back(std::string(with_float128) + symbol.substr(beginning.size()));
  return symbols;
}

std::string Naming::vtable(const clang::CXXRecordDecl* record) const {
  std::string symbol;
  llvm::raw_string_ostream stream(symbol);
  state_->mangler->mangleCXXVTable(record, stream);
  return symbol;
}

std::string Naming::vtable_table(const clang::CXXRecordDecl* record) const {
  std::string symbol;
  llvm::raw_string_ostream stream(symbol);
  state_->mangler->mangleCXXVTT(record, stream);
  return symbol;
}

std::string Naming::type_info(clang::QualType type) const {
  std::string symbol;
  llvm::raw_string_ostream stream(symbol);
  state_->mangler->mangleCXXRTTI(type, stream);
  return symbol;
}

std::string Naming::name(const clang::NamedDecl* declaration) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  declaration->printQualifiedName(stream, state_->policy);
  return text;
}

std::string Naming::type_name(clang::QualType type) const {
  return clang::TypeName::getFullyQualifiedName(type.getUnqualifiedType(), state_->ast, state_->policy);
}

std::string Naming::member_name(clang::QualType object, const clang::NamedDecl* member) const {
  if (const clang::QualType pointee = object->getPointeeType(); !pointee.isNull())
    object = pointee;
  const auto* const method = llvm::dyn_cast<clang::CXXMethodDecl>(member);
  // A member of a base is named by the base, where it was declared.
  if (method == nullptr || object->getAsCXXRecordDecl() != method->getParent())
    return name(member);
  return type_name(object) + "::" + member->getNameAsString();
}

std::string Naming::constructor_name(clang::QualType type, const clang::NamedDecl* member) const {
  const std::string class_name = type_name(type);
  std::string last = class_name.substr(0, class_name.find('<'));
  if (const std::size_t colons = last.rfind("::"); colons != std::string::npos)
    last = last.substr(colons + 2);
  return class_name + "::" + (llvm::isa<clang::CXXDestructorDecl>(member) ? "~" : "") + last;
}

} // namespace hostpin
