// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/stubs.hpp"

#include "toolchains/base/unicode.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/stub_library.hpp"
#include "toolchains/redist/tree/dynamic_symbols.hpp"
#include "toolchains/redist/tree/root.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace hostpin::redist {

namespace {

using binary::StubLibrary;

Result<DynamicSymbols> symbols_of(const RootFile& file) {
  const auto bytes = binary::MappedFile::open(file.file);
  auto symbols = bytes ? read_dynamic_symbols(bytes->bytes()) : failure("cannot be read");
  if (!symbols)
    return failure(escaped(file.entry->path) + ' ' + symbols.error().message,
                   "compose without --make-stubs, or leave its package out");
  return symbols;
}

class Making {
public:
  Making(const Root& root, const TreeFacts& facts) : root_(root), facts_(facts) {
    const Platform* const platform = facts.platform(root.origin().targets.front());
    if (!root.origin().one_target && platform != nullptr && platform->format != "zip")
      target_ = "targets/" + platform->target + '/';
  }

  /// Stubs by path.
  Result<std::map<std::string, StubLibrary>> stubs() {
    for (const RootFile& file : root_.files())
      if (file.image && (file.entry->output == "lib" || file.entry->output == "compat"))
        TRY(add_needs_of(file));
    return std::move(stubs_);
  }

private:
  std::string stub_path(const RootFile& user, const std::string& name) const {
    const std::string& path = user.entry->path;
    const std::size_t end = path.starts_with("targets/") ? path.find('/', path.find('/') + 1) + 1 : 0;
    return (end == 0 ? target_ : path.substr(0, end)) + "lib/stubs/" + name;
  }

  bool is_missing(const RootFile& user, const std::string& name) const {
    const std::string_view by = facts_.compose.provider(name);
    return (by == "driver" || by == "jetson") && is_path_below(name) && name.find('/') == std::string::npos &&
           root_.library(user, name) == nullptr && root_.at(stub_path(user, name)) == nullptr;
  }

  Result<void> add_needs_of(const RootFile& file) {
    std::set<std::string> missing;
    for (const std::string& name : file.image->needed)
      if (is_missing(file, name))
        missing.insert(name);
    if (missing.empty())
      return {};
    TRY_ASSIGN(const auto symbols, symbols_of(file));
    if (!binary::has_stubs(symbols.machine))
      return {};
    TRY_ASSIGN(const auto defined, defined_for(file));
    for (const std::string& name : missing)
      add(file, name, symbols, defined);
    return {};
  }

  void add(const RootFile& file, const std::string& name, const DynamicSymbols& symbols,
           const std::set<std::string>& defined) {
    StubLibrary& stub = stubs_[stub_path(file, name)];
    stub.machine = symbols.machine;
    stub.soname = name;
    for (const UndefinedSymbol& symbol : symbols.undefined)
      if (symbol.library == name)
        stub.functions[symbol.name].insert(symbol.version);
      else if (symbol.library.empty() && !defined.contains(symbol.name))
        stub.functions[symbol.name];
  }

  /// What the libraries and stubs of the tree that a library needs, directly or not, define.
  Result<std::set<std::string>> defined_for(const RootFile& file) {
    std::set<std::string> defined;
    std::set<const RootFile*> seen{&file};
    std::vector<const RootFile*> next{&file};
    while (!next.empty()) {
      const RootFile& user = *next.back();
      next.pop_back();
      for (const std::string& name : user.image->needed) {
        const RootFile* found = root_.library(user, name);
        if (found == nullptr)
          found = root_.at(stub_path(user, name));
        if (found == nullptr || !found->image || !seen.insert(found).second)
          continue;
        TRY_ASSIGN(const auto symbols, symbols_of(*found));
        defined.insert(symbols.defined.begin(), symbols.defined.end());
        next.push_back(found);
      }
    }
    return defined;
  }

  const Root& root_;
  const TreeFacts& facts_;
  std::string target_; ///< the default target's directory, with a slash at its end
  std::map<std::string, StubLibrary> stubs_;
};

} // namespace

Result<std::set<std::string>> make_stubs(RootPlan& plan, const TreeFacts& facts) {
  const Root root = Root::of_plan(plan);
  TRY_ASSIGN(const auto stubs, Making(root, facts).stubs());
  std::set<std::string> names;
  for (const auto& [path, stub] : stubs) {
    if (binary::version_count(stub) > binary::most_stub_versions)
      return failure("libraries need more than " + std::to_string(binary::most_stub_versions) +
                         " versions of " + escaped(stub.soname),
                     "compose without --make-stubs");
    names.insert(stub.soname);
    RootPiece piece;
    piece.entry.path = path;
    piece.entry.output = "stubs";
    piece.entry.changed = "stub for linking, made from undefined symbols";
    piece.text = binary::stub_bytes(stub);
    plan.pieces.push_back(std::move(piece));
  }
  std::ranges::sort(plan.pieces, {}, [](const RootPiece& piece) { return piece.entry.path; });
  return names;
}

} // namespace hostpin::redist
