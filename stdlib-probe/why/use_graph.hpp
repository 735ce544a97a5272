// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/why/syntax.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Mangle.h>
#include <clang/AST/PrettyPrinter.h>
#include <llvm/ADT/DenseMap.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hostpin::probe {

/// Mangled and readable names of declarations in a syntax tree.
class Naming {
public:
  explicit Naming(clang::ASTContext& context);

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
  const clang::ASTContext& context_;
  mutable clang::ASTNameGenerator generator_;
  std::unique_ptr<clang::ItaniumMangleContext> mangler_;
  clang::PrintingPolicy policy_;
};

/// Builds the graph of what uses what: nodes and uses of a `Syntax`. It adds what a use implies, such as the
/// destructors and type information of a vtable; the caller adds what a function's
/// body uses.
class UseGraph {
public:
  /// Both must outlive it.
  UseGraph(clang::ASTContext& context, Syntax& syntax)
      : context_(context), syntax_(syntax), naming_(context) {}

  /// Sets the node to which further uses belong; without one they are the user's own uses, with their
  /// location, and those in system headers are ignored.
  void used_by(std::optional<std::size_t> node) { user_ = node; }

  /// Adds a use; `name` is the function's readable name.
  void use_function(const clang::FunctionDecl* function, clang::SourceLocation at, const std::string& name);
  void use_variable(const clang::VarDecl* variable, clang::SourceLocation at);
  void use_destructor(clang::QualType type, clang::SourceLocation at);
  void use_type_info(clang::QualType type, clang::SourceLocation at);
  void use_vtable(const clang::CXXRecordDecl* record, clang::SourceLocation at);
  /// A symbol of the language's runtime.
  void use_runtime(const char* symbol, clang::SourceLocation at);
  /// What allocation and deallocation may call.
  void use_allocation(clang::SourceLocation at);
  void use_deallocation(clang::SourceLocation at);
  /// One of the user's classes or variables, whose data the object contains.
  void own_data(const clang::CXXRecordDecl* record);
  void own_data(const clang::VarDecl* variable);

  /// A function that is used and has a definition.
  struct Reached {
    const clang::FunctionDecl* definition = nullptr;
    std::size_t node = 0;
  };
  /// The next one whose body has not been read, each once; nothing if there is none left.
  std::optional<Reached> next_reached();

  /// True if a location is in one of the user's files.
  bool is_own(clang::SourceLocation at) const;
  clang::ASTContext& context() { return context_; }
  Syntax& syntax() { return syntax_; }
  const Naming& naming() const { return naming_; }

private:
  void use(std::size_t node, clang::SourceLocation at, const std::string& name);
  std::size_t node_of(const clang::FunctionDecl* function);
  std::size_t vtable_of(const clang::CXXRecordDecl* record);
  std::size_t type_info_of(clang::QualType type);
  std::size_t named(const std::string& symbol, bool may_be_absent, bool in_system);

  clang::ASTContext& context_;
  Syntax& syntax_;
  Naming naming_;
  std::optional<std::size_t> user_;
  llvm::DenseMap<const clang::Decl*, std::size_t> functions_;
  std::map<std::string, std::size_t> named_;
  std::vector<Reached> waiting_;
};

/// The file and line of a location, for macros where they were used; nothing outside files.
std::optional<Place> place_of(const clang::SourceManager& sources, clang::SourceLocation location);

/// The absolute path of a file that was read.
std::string file_path(const clang::SourceManager& sources, const clang::FileEntryRef& file);

/// Fills in what the source uses, from its syntax tree.
void walk(clang::ASTContext& context, Syntax& syntax);

} // namespace hostpin::probe
