// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/libc/declaration.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace hostpin {

namespace {

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

const char* says(Promise promise) {
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

std::string says(Clash::Kind kind, const FunctionDeclaration& declaration) {
  switch (kind) {
  case Clash::Kind::types:
    return declaration.result + " (" + declaration.parameters + ')';
  case Clash::Kind::linkage:
    return declaration.c_linkage ? "C linkage" : "C++ linkage";
  case Clash::Kind::exceptions:
    break;
  }
  return says(declaration.promise);
}

Clash clash(Clash::Kind kind, const FunctionDeclaration& first, const FunctionDeclaration& second) {
  const auto side = [&](const FunctionDeclaration& of) {
    return Clash::Declaration{of.file, of.line, of.promise != Promise::nothing, says(kind, of)};
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

} // namespace hostpin
