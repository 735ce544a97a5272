// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class CXXRecordDecl;
class NamedDecl;
class QualType;
} // namespace clang

namespace hostpin {

/// Mangled and readable names of declarations in a syntax tree.
class Naming {
public:
  explicit Naming(clang::ASTContext& context);
  Naming(const Naming&) = delete;
  Naming& operator=(const Naming&) = delete;
  ~Naming();

  /// Mangled names of a function or variable; several for a constructor or destructor.
  std::vector<std::string> symbols(const clang::NamedDecl* declaration) const;
  std::string vtable(const clang::CXXRecordDecl* record) const;
  std::string vtable_table(const clang::CXXRecordDecl* record) const; ///< for a class with virtual bases
  std::string type_info(clang::QualType type) const;

  /// Qualified, without inline namespaces: `std::format`.
  std::string name(const clang::NamedDecl* declaration) const;
  /// With the type as the user wrote it: `std::string::replace`, not `std::basic_string<char, ...>::replace`.
  std::string member_name(clang::QualType object, const clang::NamedDecl* member) const;
  std::string constructor_name(clang::QualType type, const clang::NamedDecl* member) const;
  std::string type_name(clang::QualType type) const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace hostpin
