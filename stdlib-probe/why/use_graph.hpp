// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/why/naming.hpp"
#include "stdlib-probe/why/syntax.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <llvm/ADT/DenseMap.h>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hostpin {

/// The graph of what uses what, in the making: nodes and uses of a `Syntax`. Of what is used it knows what
/// comes along, such as the destructors and type information behind a table of virtual functions; what a
/// function's body uses it is told.
class UseGraph {
public:
  /// Both must outlive it.
  UseGraph(clang::ASTContext& context, Syntax& syntax)
      : context_(context), syntax_(syntax), naming_(context) {}

  /// What is used from now on, a node of the graph uses; without one it is a use of the user's own, with its
  /// place, and where that is in a system header it is none.
  void used_by(std::optional<std::size_t> node) { user_ = node; }

  /// Something is used; `name` is the function's for a person.
  void use_function(const clang::FunctionDecl* function, clang::SourceLocation at, const std::string& name);
  void use_variable(const clang::VarDecl* variable, clang::SourceLocation at);
  void use_destructor(clang::QualType type, clang::SourceLocation at);
  void use_type_info(clang::QualType type, clang::SourceLocation at);
  void use_vtable(const clang::CXXRecordDecl* record, clang::SourceLocation at);
  /// A symbol of the language's runtime.
  void use_runtime(const char* symbol, clang::SourceLocation at);
  /// What getting memory may call, and what freeing it may.
  void use_allocation(clang::SourceLocation at);
  void use_deallocation(clang::SourceLocation at);
  /// A class or variable of the user's own, whose data the object has.
  void own_data(const clang::CXXRecordDecl* record);
  void own_data(const clang::VarDecl* variable);

  /// A function that was used and whose definition is there.
  struct Reached {
    const clang::FunctionDecl* definition = nullptr;
    std::size_t node = 0;
  };
  /// One whose body has still to be read for its node, each once; nothing when there is none left.
  std::optional<Reached> next_reached();

  /// Whether a place is in a file of the user's own.
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

} // namespace hostpin
