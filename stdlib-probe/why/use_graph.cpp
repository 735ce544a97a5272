// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/use_graph.hpp"

#include <array>
#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Mangle.h>
#include <clang/AST/PrettyPrinter.h>
#include <clang/AST/QualTypeNames.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Support/raw_ostream.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hostpin::probe {

namespace {

/// Mangled prefixes of overloads for long double, and of the same for _Float128.
constexpr std::pair<std::string_view, std::string_view> float128_overloads[] = {
    {"_ZSt8to_charsPcS_e", "_ZSt8to_charsPcS_DF128_"},
    {"_ZSt10from_charsPKcS0_Re", "_ZSt10from_charsPKcS0_RDF128_"}};

/// What deallocation and allocation may call: which one depends on sizes, alignments and flags.
constexpr auto deallocating =
    std::to_array<const char*>({"_ZdlPv", "_ZdlPvm", "_ZdlPvj", "_ZdlPvSt11align_val_t",
                                "_ZdlPvmSt11align_val_t", "_ZdlPvjSt11align_val_t"});
constexpr auto allocating =
    std::to_array<const char*>({"_Znwm", "_Znwj", "_ZnwmSt11align_val_t", "_ZnwjSt11align_val_t"});

} // namespace

Naming::Naming(clang::ASTContext& context)
    : context_(context), generator_(context),
      mangler_(clang::ItaniumMangleContext::create(context, context.getDiagnostics())),
      policy_(context.getLangOpts()) {
  policy_.SuppressInlineNamespace = true;
  policy_.SuppressDefaultTemplateArgs = true;
  policy_.SuppressTagKeyword = true;
  policy_.Bool = true;
  policy_.AnonymousTagLocations = false;
}

std::vector<std::string> Naming::symbols(const clang::NamedDecl* declaration) const {
  if (llvm::isa<clang::CXXConstructorDecl>(declaration) || llvm::isa<clang::CXXDestructorDecl>(declaration))
    return generator_.getAllManglings(declaration);
  std::string symbol = generator_.getName(declaration);
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
  mangler_->mangleCXXVTable(record, stream);
  return symbol;
}

std::string Naming::vtable_table(const clang::CXXRecordDecl* record) const {
  std::string symbol;
  llvm::raw_string_ostream stream(symbol);
  mangler_->mangleCXXVTT(record, stream);
  return symbol;
}

std::string Naming::type_info(clang::QualType type) const {
  std::string symbol;
  llvm::raw_string_ostream stream(symbol);
  mangler_->mangleCXXRTTI(type, stream);
  return symbol;
}

std::string Naming::name(const clang::NamedDecl* declaration) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  declaration->printQualifiedName(stream, policy_);
  return text;
}

std::string Naming::type_name(clang::QualType type) const {
  return clang::TypeName::getFullyQualifiedName(type.getUnqualifiedType(), context_, policy_);
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

bool UseGraph::is_own(clang::SourceLocation at) const {
  const clang::SourceManager& sources = context_.getSourceManager();
  const clang::SourceLocation place = sources.getExpansionLoc(at);
  return place.isValid() && !sources.isInSystemHeader(place) && !sources.isWrittenInBuiltinFile(place) &&
         !sources.isWrittenInCommandLineFile(place);
}

void UseGraph::use(std::size_t node, clang::SourceLocation at, const std::string& name) {
  if (user_) {
    syntax_.nodes[*user_].uses.push_back(node);
    return;
  }
  if (!is_own(at))
    return;
  if (auto place = place_of(context_.getSourceManager(), at)) {
    place->what = name;
    syntax_.uses.push_back({std::move(*place), node});
  }
}

std::size_t UseGraph::named(const std::string& symbol, bool may_be_absent, bool in_system) {
  const auto [found, fresh] = named_.try_emplace(symbol, syntax_.nodes.size());
  if (fresh)
    syntax_.nodes.push_back({{symbol}, {}, may_be_absent, in_system});
  return found->second;
}

void UseGraph::use_function(const clang::FunctionDecl* function, clang::SourceLocation at,
                            const std::string& name) {
  if (function == nullptr || function->isDependentContext() || function->isConsteval())
    return;
  use(node_of(function), at, name);
}

std::size_t UseGraph::node_of(const clang::FunctionDecl* function) {
  const clang::FunctionDecl* const canonical = function->getCanonicalDecl();
  const auto found = functions_.find(canonical);
  if (found != functions_.end())
    return found->second;
  const std::size_t node = syntax_.nodes.size();
  functions_[canonical] = node;
  const clang::FunctionDecl* definition = nullptr;
  const bool here = function->hasBody(definition);
  // The library may also define instantiations; an object then contains them only if they were inlined.
  const bool shared = function->isTemplateInstantiation() || function->isInlined();
  syntax_.nodes.push_back({naming_.symbols(function), {}, !here || shared, !is_own(function->getLocation())});
  if (here)
    waiting_.push_back({definition, node});
  return node;
}

void UseGraph::use_variable(const clang::VarDecl* variable, clang::SourceLocation at) {
  if (!variable->hasGlobalStorage() || variable->isStaticLocal() ||
      variable->getDeclContext()->isDependentContext())
    return;
  const std::vector<std::string> symbols = naming_.symbols(variable);
  if (symbols.empty())
    return;
  const bool own = is_own(variable->getLocation());
  use(named(symbols.front(), !own, !own), at, naming_.name(variable));
}

void UseGraph::use_destructor(clang::QualType type, clang::SourceLocation at) {
  const auto* const record = context_.getBaseElementType(type)->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition() || record->isDependentContext() ||
      record->hasTrivialDestructor())
    return;
  if (const clang::CXXDestructorDecl* const destructor = record->getDestructor())
    use(node_of(destructor), at, naming_.constructor_name(type, destructor));
}

void UseGraph::use_runtime(const char* symbol, clang::SourceLocation at) {
  use(named(symbol, true, true), at, llvm::demangle(symbol));
}

void UseGraph::use_allocation(clang::SourceLocation at) {
  for (const char* const symbol : allocating)
    use_runtime(symbol, at);
}

void UseGraph::use_deallocation(clang::SourceLocation at) {
  for (const char* const symbol : deallocating)
    use_runtime(symbol, at);
}

std::size_t UseGraph::type_info_of(clang::QualType type) {
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

void UseGraph::use_type_info(clang::QualType type, clang::SourceLocation at) {
  type = context_.getCanonicalType(type.getNonReferenceType()).getUnqualifiedType();
  if (type->isDependentType() || type->isInstantiationDependentType())
    return;
  use(type_info_of(type), at, naming_.type_name(type));
}

std::size_t UseGraph::vtable_of(const clang::CXXRecordDecl* record) {
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
    for (const char* const function : deallocating)
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

void UseGraph::use_vtable(const clang::CXXRecordDecl* record, clang::SourceLocation at) {
  use(vtable_of(record), at, "class " + naming_.name(record));
}

void UseGraph::own_data(const clang::CXXRecordDecl* record) {
  const auto place = place_of(context_.getSourceManager(), record->getLocation());
  if (!place)
    return;
  Place named_place = *place;
  named_place.what = "class " + naming_.name(record);
  for (const std::string& symbol :
       {naming_.vtable(record), naming_.type_info(context_.getRecordType(record).getCanonicalType())})
    syntax_.data.try_emplace(symbol, named_place);
  use_vtable(record, record->getLocation());
}

void UseGraph::own_data(const clang::VarDecl* variable) {
  auto place = place_of(context_.getSourceManager(), variable->getLocation());
  if (!place)
    return;
  place->what = naming_.name(variable);
  for (const std::string& symbol : naming_.symbols(variable))
    syntax_.data.try_emplace(symbol, *place);
}
std::optional<UseGraph::Reached> UseGraph::next_reached() {
  while (!waiting_.empty()) {
    const Reached next = waiting_.back();
    waiting_.pop_back();
    // Uses in the user's functions are listed with their location, and not repeated for callers.
    if (!is_own(next.definition->getLocation()))
      return next;
  }
  return std::nullopt;
}

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

} // namespace hostpin::probe
