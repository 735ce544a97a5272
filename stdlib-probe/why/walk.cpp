// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/walk.hpp"

#include "stdlib-probe/why/naming.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/Builtins.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Demangle/Demangle.h>
#include <span>

namespace hostpin {

namespace {

/// What freeing memory may call, and what getting it may: which it is depends on sizes, alignments and flags.
constexpr const char* deleting[] = {"_ZdlPv",
                                    "_ZdlPvm",
                                    "_ZdlPvj",
                                    "_ZdlPvSt11align_val_t",
                                    "_ZdlPvmSt11align_val_t",
                                    "_ZdlPvjSt11align_val_t"};
constexpr const char* making[] = {"_Znwm", "_Znwj", "_ZnwmSt11align_val_t", "_ZnwjSt11align_val_t"};

/// The graph in the making.
class Graph {
public:
  Graph(clang::ASTContext& context, Syntax& syntax) : context_(context), syntax_(syntax), naming_(context) {}

  void use_function(const clang::FunctionDecl* function, clang::SourceLocation at, const std::string& name);
  void use_variable(const clang::VarDecl* variable, clang::SourceLocation at);
  void use_destructor(clang::QualType type, clang::SourceLocation at);
  void use_type_info(clang::QualType type, clang::SourceLocation at);
  void use_runtime(const char* symbol, clang::SourceLocation at);
  void own_data(const clang::CXXRecordDecl* record);
  void own_data(const clang::VarDecl* variable);

  bool is_own(clang::SourceLocation at) const {
    const clang::SourceManager& sources = context_.getSourceManager();
    const clang::SourceLocation place = sources.getExpansionLoc(at);
    return place.isValid() && !sources.isInSystemHeader(place) && !sources.isWrittenInBuiltinFile(place) &&
           !sources.isWrittenInCommandLineFile(place);
  }
  /// Follows what is reached until nothing new is.
  void close();
  /// Adds what a function's body uses: to its node, or as uses of the user's own where it has none.
  void use_body(const clang::FunctionDecl* function, std::optional<std::size_t> node);
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
  std::optional<std::size_t> current_;
  llvm::DenseMap<const clang::Decl*, std::size_t> functions_;
  std::map<std::string, std::size_t> named_;
  std::vector<std::pair<const clang::FunctionDecl*, std::size_t>> waiting_;
};

/// Reports everything that one body uses to the graph.
class Body final : public clang::RecursiveASTVisitor<Body> {
public:
  explicit Body(Graph& graph) : graph_(graph) {}

  bool shouldVisitTemplateInstantiations() const { return false; }
  bool shouldVisitImplicitCode() const { return true; }
  bool shouldVisitLambdaBody() const { return false; } // a lambda's call operator is a function of its own

  bool VisitDeclRefExpr(clang::DeclRefExpr* use) {
    if (const auto* const function = llvm::dyn_cast<clang::FunctionDecl>(use->getDecl())) {
      graph_.use_function(function, use->getLocation(), graph_.naming().name(function));
      const unsigned builtin = function->getBuiltinID();
      if (builtin == clang::Builtin::BI__builtin_operator_new)
        use_all(making, use->getLocation());
      else if (builtin == clang::Builtin::BI__builtin_operator_delete)
        use_all(deleting, use->getLocation());
    }
    if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(use->getDecl()))
      graph_.use_variable(variable, use->getLocation());
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr* use) {
    if (const auto* const function = llvm::dyn_cast<clang::FunctionDecl>(use->getMemberDecl()))
      graph_.use_function(function, use->getMemberLoc(),
                          graph_.naming().member_name(use->getBase()->getType(), function));
    else if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(use->getMemberDecl()))
      graph_.use_variable(variable, use->getMemberLoc());
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* use) {
    graph_.use_function(use->getConstructor(), use->getLocation(),
                        graph_.naming().constructor_name(use->getType(), use->getConstructor()));
    graph_.use_destructor(use->getType(), use->getLocation());
    return true;
  }
  bool VisitCXXInheritedCtorInitExpr(clang::CXXInheritedCtorInitExpr* use) {
    graph_.use_function(use->getConstructor(), use->getLocation(),
                        graph_.naming().name(use->getConstructor()));
    return true;
  }
  bool VisitCXXBindTemporaryExpr(clang::CXXBindTemporaryExpr* use) {
    graph_.use_destructor(use->getType(), use->getBeginLoc());
    return true;
  }
  bool VisitCXXNewExpr(clang::CXXNewExpr* use) {
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
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr* use) {
    if (const auto* const function = use->getOperatorDelete())
      graph_.use_function(function, use->getBeginLoc(), "operator delete");
    use_all(deleting, use->getBeginLoc());
    if (const clang::QualType type = use->getDestroyedType(); !type.isNull())
      graph_.use_destructor(type, use->getBeginLoc());
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* variable) {
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
  bool VisitCXXTypeidExpr(clang::CXXTypeidExpr* use) {
    graph_.use_runtime("__cxa_bad_typeid", use->getBeginLoc());
    const clang::QualType type =
        use->isTypeOperand() ? use->getTypeOperand(graph_.context()) : use->getExprOperand()->getType();
    graph_.use_type_info(type, use->getBeginLoc());
    return true;
  }
  bool VisitCXXDynamicCastExpr(clang::CXXDynamicCastExpr* use) {
    for (const char* const symbol : {"__dynamic_cast", "__cxa_bad_cast"})
      graph_.use_runtime(symbol, use->getBeginLoc());
    graph_.use_type_info(use->getType(), use->getBeginLoc());
    graph_.use_type_info(use->getSubExpr()->getType(), use->getBeginLoc());
    return true;
  }
  bool VisitCXXThrowExpr(clang::CXXThrowExpr* use) {
    for (const char* const symbol : {"__cxa_allocate_exception", "__cxa_free_exception", "__cxa_throw",
                                     "__cxa_rethrow", "__cxa_init_primary_exception"})
      graph_.use_runtime(symbol, use->getBeginLoc());
    if (const clang::Expr* const thrown = use->getSubExpr()) {
      graph_.use_type_info(thrown->getType(), use->getBeginLoc());
      graph_.use_destructor(thrown->getType(), use->getBeginLoc());
    }
    return true;
  }
  bool VisitCXXCatchStmt(clang::CXXCatchStmt* use) {
    for (const char* const symbol : {"__cxa_begin_catch", "__cxa_end_catch", "__cxa_get_exception_ptr"})
      graph_.use_runtime(symbol, use->getBeginLoc());
    if (!use->getCaughtType().isNull())
      graph_.use_type_info(use->getCaughtType(), use->getBeginLoc());
    return true;
  }

private:
  void use_all(std::span<const char* const> symbols, clang::SourceLocation at) {
    for (const char* const symbol : symbols)
      graph_.use_runtime(symbol, at);
  }

  Graph& graph_;
};

/// Finds the functions and variables of the user's own files, instantiations included.
class Owned final : public clang::RecursiveASTVisitor<Owned> {
public:
  explicit Owned(Graph& graph) : graph_(graph) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return true; }

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (!function->doesThisDeclarationHaveABody() || function->isDependentContext() ||
        !graph_.is_own(function->getLocation()))
      return true;
    graph_.use_body(function, std::nullopt);
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* variable) {
    if (variable->isLocalVarDeclOrParm() || variable->isTemplated() ||
        !graph_.is_own(variable->getLocation()))
      return true;
    graph_.own_data(variable);
    Body(graph_).TraverseDecl(variable);
    return true;
  }
  bool VisitCXXRecordDecl(clang::CXXRecordDecl* record) {
    if (record->isThisDeclarationADefinition() && !record->isDependentContext() &&
        graph_.is_own(record->getLocation()) && record->isDynamicClass())
      graph_.own_data(record);
    return true;
  }

private:
  Graph& graph_;
};

void Graph::use(std::size_t node, clang::SourceLocation at, const std::string& name) {
  if (current_) {
    syntax_.nodes[*current_].uses.push_back(node);
    return;
  }
  if (!is_own(at))
    return;
  if (auto place = place_of(context_.getSourceManager(), at)) {
    place->what = name;
    syntax_.uses.push_back({std::move(*place), node});
  }
}

std::size_t Graph::named(const std::string& symbol, bool may_be_absent, bool in_system) {
  const auto [found, fresh] = named_.try_emplace(symbol, syntax_.nodes.size());
  if (fresh)
    syntax_.nodes.push_back({{symbol}, {}, may_be_absent, in_system});
  return found->second;
}

void Graph::use_function(const clang::FunctionDecl* function, clang::SourceLocation at,
                         const std::string& name) {
  if (function == nullptr || function->isDependentContext() || function->isConsteval())
    return;
  use(node_of(function), at, name);
}

std::size_t Graph::node_of(const clang::FunctionDecl* function) {
  const clang::FunctionDecl* const canonical = function->getCanonicalDecl();
  const auto found = functions_.find(canonical);
  if (found != functions_.end())
    return found->second;
  const std::size_t node = syntax_.nodes.size();
  functions_[canonical] = node;
  const clang::FunctionDecl* definition = nullptr;
  const bool here = function->hasBody(definition);
  // The library may define instantiations too, and then an object has them only where they were inlined.
  const bool shared = function->isTemplateInstantiation() || function->isInlined();
  syntax_.nodes.push_back({naming_.symbols(function), {}, !here || shared, !is_own(function->getLocation())});
  if (here)
    waiting_.emplace_back(definition, node);
  return node;
}

void Graph::use_variable(const clang::VarDecl* variable, clang::SourceLocation at) {
  if (!variable->hasGlobalStorage() || variable->isStaticLocal() ||
      variable->getDeclContext()->isDependentContext())
    return;
  const std::vector<std::string> symbols = naming_.symbols(variable);
  if (symbols.empty())
    return;
  const bool own = is_own(variable->getLocation());
  use(named(symbols.front(), !own, !own), at, naming_.name(variable));
}

void Graph::use_destructor(clang::QualType type, clang::SourceLocation at) {
  const auto* const record = context_.getBaseElementType(type)->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition() || record->isDependentContext() ||
      record->hasTrivialDestructor())
    return;
  if (const clang::CXXDestructorDecl* const destructor = record->getDestructor())
    use(node_of(destructor), at, naming_.constructor_name(type, destructor));
}

void Graph::use_runtime(const char* symbol, clang::SourceLocation at) {
  use(named(symbol, true, true), at, llvm::demangle(symbol));
}

std::size_t Graph::type_info_of(clang::QualType type) {
  const std::string symbol = naming_.type_info(type);
  if (const auto found = named_.find(symbol); found != named_.end())
    return found->second;
  const std::size_t node = named(symbol, true, true);
  const auto add = [&](std::size_t used) { syntax_.nodes[node].uses.push_back(used); };
  for (const char* const kind :
       {"_ZTVN10__cxxabiv117__class_type_infoE", "_ZTVN10__cxxabiv120__si_class_type_infoE",
        "_ZTVN10__cxxabiv121__vmi_class_type_infoE", "_ZTVN10__cxxabiv119__pointer_type_infoE",
        "_ZTVN10__cxxabiv120__function_type_infoE", "_ZTVN10__cxxabiv116__enum_type_infoE",
        "_ZTVN10__cxxabiv117__array_type_infoE", "_ZTVN10__cxxabiv129__pointer_to_member_type_infoE"})
    add(named(kind, true, true));
  if (const clang::QualType pointee = type->getPointeeType();
      !pointee.isNull() && !pointee->isFunctionType()) {
    add(type_info_of(pointee.getUnqualifiedType()));
  }
  if (const auto* const record = type->getAsCXXRecordDecl(); record != nullptr && record->hasDefinition())
    for (const clang::CXXBaseSpecifier& base : record->bases()) {
      add(type_info_of(base.getType().getUnqualifiedType()));
    }
  return node;
}

void Graph::use_type_info(clang::QualType type, clang::SourceLocation at) {
  type = context_.getCanonicalType(type.getNonReferenceType()).getUnqualifiedType();
  if (type->isDependentType() || type->isInstantiationDependentType())
    return;
  use(type_info_of(type), at, naming_.type_name(type));
}

std::size_t Graph::vtable_of(const clang::CXXRecordDecl* record) {
  const std::string symbol = naming_.vtable(record);
  if (const auto found = named_.find(symbol); found != named_.end())
    return found->second;
  const std::size_t node = named(symbol, true, true);
  const auto add = [&](std::size_t used) { syntax_.nodes[node].uses.push_back(used); };
  add(type_info_of(context_.getRecordType(record).getCanonicalType()));
  add(named("__cxa_pure_virtual", true, true));
  if (record->getNumVBases() > 0)
    add(named(naming_.vtable_table(record), true, true));
  if (const clang::CXXDestructorDecl* const destructor = record->getDestructor();
      destructor != nullptr && destructor->isVirtual()) {
    add(node_of(destructor));
    for (const char* const function : deleting)
      add(named(function, true, true));
  }
  llvm::SmallVector<const clang::CXXRecordDecl*, 8> line{record};
  llvm::DenseSet<const clang::CXXRecordDecl*> seen;
  while (!line.empty()) {
    const clang::CXXRecordDecl* const one = line.pop_back_val();
    if (!seen.insert(one).second)
      continue;
    for (const clang::CXXMethodDecl* const method : one->methods())
      if (method->isVirtual() && !method->isPureVirtual())
        add(node_of(method));
    for (const clang::CXXBaseSpecifier& base : one->bases())
      if (const auto* const parent = base.getType()->getAsCXXRecordDecl(); parent && parent->hasDefinition())
        line.push_back(parent->getDefinition());
  }
  return node;
}

void Graph::own_data(const clang::CXXRecordDecl* record) {
  const auto place = place_of(context_.getSourceManager(), record->getLocation());
  if (!place)
    return;
  Place named_place = *place;
  named_place.what = "class " + naming_.name(record);
  for (const std::string& symbol :
       {naming_.vtable(record), naming_.type_info(context_.getRecordType(record).getCanonicalType())})
    syntax_.data.try_emplace(symbol, named_place);
  use(vtable_of(record), record->getLocation(), named_place.what);
}

void Graph::own_data(const clang::VarDecl* variable) {
  auto place = place_of(context_.getSourceManager(), variable->getLocation());
  if (!place)
    return;
  place->what = naming_.name(variable);
  for (const std::string& symbol : naming_.symbols(variable))
    syntax_.data.try_emplace(symbol, *place);
}

void Graph::use_body(const clang::FunctionDecl* function, std::optional<std::size_t> node) {
  current_ = node;
  const clang::SourceLocation at = function->getLocation();
  for (const char* const symbol : {"__gxx_personality_v0", "__cxa_call_terminate", "_ZSt9terminatev"})
    use_runtime(symbol, at);
  Body body(*this);
  const auto* const constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(function);
  if (constructor != nullptr)
    for (clang::CXXCtorInitializer* const initializer : constructor->inits())
      body.TraverseConstructorInitializer(initializer);
  if (constructor != nullptr || llvm::isa<clang::CXXDestructorDecl>(function)) {
    const clang::CXXRecordDecl* const record = llvm::cast<clang::CXXMethodDecl>(function)->getParent();
    if (record->isDynamicClass())
      use(vtable_of(record), at, "class " + naming_.name(record));
    for (const clang::FieldDecl* const field : record->fields())
      use_destructor(field->getType(), at);
    for (const clang::CXXBaseSpecifier& base : record->bases())
      use_destructor(base.getType(), at);
  }
  body.TraverseStmt(function->getBody());
  current_.reset();
}

void Graph::close() {
  while (!waiting_.empty()) {
    const auto [function, node] = waiting_.back();
    waiting_.pop_back();
    // What the user's own functions use is listed with its place, and is not said of their callers again.
    if (!is_own(function->getLocation()))
      use_body(function, node);
  }
}

/// What stands outside of functions; namespaces may be opened in one file and closed in another.
void walk(const clang::DeclContext& scope, Graph& graph) {
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

std::string file_path(const clang::SourceManager& sources, const clang::FileEntryRef& file) {
  llvm::SmallString<256> path(file.getName());
  sources.getFileManager().makeAbsolutePath(path);
  return path.str().str();
}

std::optional<Place> place_of(const clang::SourceManager& sources, clang::SourceLocation location) {
  const clang::SourceLocation expansion = sources.getExpansionLoc(location);
  if (expansion.isInvalid())
    return std::nullopt;
  const auto file = sources.getFileEntryRefForID(sources.getFileID(expansion));
  if (!file)
    return std::nullopt;
  return Place{file_path(sources, *file),
               sources.getExpansionLineNumber(expansion),
               sources.getExpansionColumnNumber(expansion),
               {}};
}

void walk(clang::ASTContext& context, Syntax& syntax) {
  Graph graph(context, syntax);
  walk(*context.getTranslationUnitDecl(), graph);
  graph.close();
}

} // namespace hostpin
