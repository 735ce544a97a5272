// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "stdlib-probe/why/use_graph.hpp"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/Builtins.h>

namespace hostpin::probe {

namespace {

/// The base of both visitors below: one instantiation, because it takes most of the compile time of this
/// file.
class Visitor : public clang::RecursiveASTVisitor<Visitor> {
public:
  Visitor() = default;
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;
  virtual ~Visitor() = default;

  virtual bool shouldVisitTemplateInstantiations() const = 0;
  virtual bool shouldVisitLambdaBody() const = 0;
  bool shouldVisitImplicitCode() const { return true; }

  virtual bool VisitDeclRefExpr(clang::DeclRefExpr*) { return true; }
  virtual bool VisitMemberExpr(clang::MemberExpr*) { return true; }
  virtual bool VisitCXXConstructExpr(clang::CXXConstructExpr*) { return true; }
  virtual bool VisitCXXInheritedCtorInitExpr(clang::CXXInheritedCtorInitExpr*) { return true; }
  virtual bool VisitCXXBindTemporaryExpr(clang::CXXBindTemporaryExpr*) { return true; }
  virtual bool VisitCXXNewExpr(clang::CXXNewExpr*) { return true; }
  virtual bool VisitCXXDeleteExpr(clang::CXXDeleteExpr*) { return true; }
  virtual bool VisitCXXTypeidExpr(clang::CXXTypeidExpr*) { return true; }
  virtual bool VisitCXXDynamicCastExpr(clang::CXXDynamicCastExpr*) { return true; }
  virtual bool VisitCXXThrowExpr(clang::CXXThrowExpr*) { return true; }
  virtual bool VisitCXXCatchStmt(clang::CXXCatchStmt*) { return true; }
  virtual bool VisitVarDecl(clang::VarDecl*) { return true; }
  virtual bool VisitFunctionDecl(clang::FunctionDecl*) { return true; }
  virtual bool VisitCXXRecordDecl(clang::CXXRecordDecl*) { return true; }
};

/// Reports everything that one body uses to the graph.
class Body final : public Visitor {
public:
  explicit Body(UseGraph& graph) : graph_(graph) {}

  bool shouldVisitTemplateInstantiations() const override { return false; }
  bool shouldVisitLambdaBody() const override {
    return false;
  } // a lambda's call operator is a separate function

  bool VisitDeclRefExpr(clang::DeclRefExpr* use) override {
    if (const auto* const function = llvm::dyn_cast<clang::FunctionDecl>(use->getDecl())) {
      graph_.use_function(function, use->getLocation(), graph_.naming().name(function));
      const unsigned builtin = function->getBuiltinID();
      if (builtin == clang::Builtin::BI__builtin_operator_new)
        graph_.use_allocation(use->getLocation());
      else if (builtin == clang::Builtin::BI__builtin_operator_delete)
        graph_.use_deallocation(use->getLocation());
    }
    if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(use->getDecl()))
      graph_.use_variable(variable, use->getLocation());
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr* use) override {
    if (const auto* const function = llvm::dyn_cast<clang::FunctionDecl>(use->getMemberDecl()))
      graph_.use_function(function, use->getMemberLoc(),
                          graph_.naming().member_name(use->getBase()->getType(), function));
    else if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(use->getMemberDecl()))
      graph_.use_variable(variable, use->getMemberLoc());
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* use) override {
    graph_.use_function(use->getConstructor(), use->getLocation(),
                        graph_.naming().constructor_name(use->getType(), use->getConstructor()));
    graph_.use_destructor(use->getType(), use->getLocation());
    return true;
  }
  bool VisitCXXInheritedCtorInitExpr(clang::CXXInheritedCtorInitExpr* use) override {
    graph_.use_function(use->getConstructor(), use->getLocation(),
                        graph_.naming().name(use->getConstructor()));
    return true;
  }
  bool VisitCXXBindTemporaryExpr(clang::CXXBindTemporaryExpr* use) override {
    graph_.use_destructor(use->getType(), use->getBeginLoc());
    return true;
  }
  bool VisitCXXNewExpr(clang::CXXNewExpr* use) override {
    if (const auto* const function = use->getOperatorNew())
      graph_.use_function(function, use->getBeginLoc(), "operator new");
    if (const auto* const function = use->getOperatorDelete())
      graph_.use_function(function, use->getBeginLoc(), "operator delete");
    if (use->isArray()) {
      graph_.use_runtime("__cxa_throw_bad_array_new_length", use->getBeginLoc());
      graph_.use_destructor(use->getAllocatedType(), use->getBeginLoc());
    }
    return true;
  }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr* use) override {
    if (const auto* const function = use->getOperatorDelete())
      graph_.use_function(function, use->getBeginLoc(), "operator delete");
    graph_.use_deallocation(use->getBeginLoc());
    if (const clang::QualType type = use->getDestroyedType(); !type.isNull())
      graph_.use_destructor(type, use->getBeginLoc());
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* variable) override {
    if (variable->isTemplated())
      return true;
    graph_.use_destructor(variable->getType(), variable->getLocation());
    if (variable->isStaticLocal())
      for (const char* const symbol : {"__cxa_guard_acquire", "__cxa_guard_release", "__cxa_guard_abort"})
        graph_.use_runtime(symbol, variable->getLocation());
    if (variable->getTLSKind() == clang::VarDecl::TLS_Dynamic)
      graph_.use_runtime("__cxa_thread_atexit", variable->getLocation());
    return true;
  }
  bool VisitCXXTypeidExpr(clang::CXXTypeidExpr* use) override {
    graph_.use_runtime("__cxa_bad_typeid", use->getBeginLoc());
    const clang::QualType type =
        use->isTypeOperand() ? use->getTypeOperand(graph_.context()) : use->getExprOperand()->getType();
    graph_.use_type_info(type, use->getBeginLoc());
    return true;
  }
  bool VisitCXXDynamicCastExpr(clang::CXXDynamicCastExpr* use) override {
    for (const char* const symbol : {"__dynamic_cast", "__cxa_bad_cast"})
      graph_.use_runtime(symbol, use->getBeginLoc());
    graph_.use_type_info(use->getType(), use->getBeginLoc());
    graph_.use_type_info(use->getSubExpr()->getType(), use->getBeginLoc());
    return true;
  }
  bool VisitCXXThrowExpr(clang::CXXThrowExpr* use) override {
    for (const char* const symbol : {"__cxa_allocate_exception", "__cxa_free_exception", "__cxa_throw",
                                     "__cxa_rethrow", "__cxa_init_primary_exception"})
      graph_.use_runtime(symbol, use->getBeginLoc());
    if (const clang::Expr* const thrown = use->getSubExpr()) {
      graph_.use_type_info(thrown->getType(), use->getBeginLoc());
      graph_.use_destructor(thrown->getType(), use->getBeginLoc());
    }
    return true;
  }
  bool VisitCXXCatchStmt(clang::CXXCatchStmt* use) override {
    for (const char* const symbol : {"__cxa_begin_catch", "__cxa_end_catch", "__cxa_get_exception_ptr"})
      graph_.use_runtime(symbol, use->getBeginLoc());
    if (!use->getCaughtType().isNull())
      graph_.use_type_info(use->getCaughtType(), use->getBeginLoc());
    return true;
  }

private:
  UseGraph& graph_;
};

/// Adds what a function's body uses: to its node, or as the user's own uses if it has none.
void use_body(UseGraph& graph, const clang::FunctionDecl* function, std::optional<std::size_t> node) {
  graph.used_by(node);
  const clang::SourceLocation at = function->getLocation();
  for (const char* const symbol : {"__gxx_personality_v0", "__cxa_call_terminate", "_ZSt9terminatev"})
    graph.use_runtime(symbol, at);
  Body body(graph);
  const auto* const constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(function);
  if (constructor != nullptr)
    for (clang::CXXCtorInitializer* const initializer : constructor->inits())
      body.TraverseConstructorInitializer(initializer);
  if (constructor != nullptr || llvm::isa<clang::CXXDestructorDecl>(function)) {
    const clang::CXXRecordDecl* const record = llvm::cast<clang::CXXMethodDecl>(function)->getParent();
    if (record->isDynamicClass())
      graph.use_vtable(record, at);
    for (const clang::FieldDecl* const field : record->fields())
      graph.use_destructor(field->getType(), at);
    for (const clang::CXXBaseSpecifier& base : record->bases())
      graph.use_destructor(base.getType(), at);
  }
  body.TraverseStmt(function->getBody());
  graph.used_by(std::nullopt);
}

/// Finds the functions and variables in the user's files, including instantiations.
class Owned final : public Visitor {
public:
  explicit Owned(UseGraph& graph) : graph_(graph) {}

  bool shouldVisitTemplateInstantiations() const override { return true; }
  bool shouldVisitLambdaBody() const override { return true; }

  bool VisitFunctionDecl(clang::FunctionDecl* function) override {
    if (!function->doesThisDeclarationHaveABody() || function->isDependentContext() ||
        !graph_.is_own(function->getLocation()))
      return true;
    use_body(graph_, function, std::nullopt);
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* variable) override {
    if (variable->isLocalVarDeclOrParm() || variable->isTemplated() ||
        !graph_.is_own(variable->getLocation()))
      return true;
    graph_.own_data(variable);
    Body(graph_).TraverseDecl(variable);
    return true;
  }
  bool VisitCXXRecordDecl(clang::CXXRecordDecl* record) override {
    if (record->isThisDeclarationADefinition() && !record->isDependentContext() &&
        graph_.is_own(record->getLocation()) && record->isDynamicClass())
      graph_.own_data(record);
    return true;
  }

private:
  UseGraph& graph_;
};

/// Visits declarations outside functions; namespaces may be opened in one file and closed in another.
void walk(const clang::DeclContext& scope, UseGraph& graph) {
  for (clang::Decl* const declaration : scope.decls()) {
    if (const auto* const assembly = llvm::dyn_cast<clang::FileScopeAsmDecl>(declaration)) {
      if (const auto place = place_of(graph.context().getSourceManager(), assembly->getAsmLoc()))
        graph.syntax().assembly.push_back({assembly->getAsmString()->getString().str(), place->file});
    } else if (llvm::isa<clang::NamespaceDecl>(declaration) ||
               llvm::isa<clang::LinkageSpecDecl>(declaration)) {
      walk(*llvm::cast<clang::DeclContext>(declaration), graph);
    } else if (graph.is_own(declaration->getLocation())) {
      Owned(graph).TraverseDecl(declaration);
    }
  }
}

} // namespace

void walk(clang::ASTContext& context, Syntax& syntax) {
  UseGraph graph(context, syntax);
  walk(*context.getTranslationUnitDecl(), graph);
  while (const auto reached = graph.next_reached())
    use_body(graph, reached->definition, reached->node);
}

} // namespace hostpin::probe
