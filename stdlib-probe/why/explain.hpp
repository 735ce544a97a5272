// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/why/object.hpp"
#include "stdlib-probe/why/report.hpp"
#include "stdlib-probe/why/syntax.hpp"
#include "toolchains/base/files.hpp"

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace hostpin::probe {

/// Which files are the user's own: those that are not below a system directory. Among nested directories the
/// innermost decides, and symlinks make no difference.
class Ownership {
public:
  /// `system` are directories of system headers, `own` those that the user named with -I and -iquote.
  Ownership(const Files& files, const std::vector<std::string>& system, const std::vector<std::string>& own);

  bool is_own(const std::string& file) const;
  /// The file with symlinks resolved; unchanged if it does not exist.
  const std::string& real(const std::string& file) const;

private:
  struct Known {
    std::string real;
    bool own = true;
  };
  const Known& known(const std::string& file) const;

  const Files& files_;
  std::map<std::string, bool> directories_; ///< real path with a trailing slash; true: the user's own
  mutable std::map<std::string, Known> known_;
};

/// Finds the user's own lines that lead to a symbol.
class Explanation {
public:
  /// All must outlive it; `object` is null if there is none, `syntax` if the source could not be
  /// parsed.
  Explanation(const ObjectGraph* object, const Syntax* syntax, const Ownership& ownership);

  /// Lines that lead to the symbol, ordered by file and line: from the object if it has any,
  /// else from the syntax tree, else the #include that leads to it.
  std::vector<NeedUse> uses_of(const std::string& symbol) const;

private:
  using FoundUses = std::map<std::tuple<std::string, unsigned, unsigned, std::string>, NeedUse>;

  void add(FoundUses& found, NeedUse use) const;
  void from_object(const std::string& symbol, FoundUses& found, std::vector<std::string>& headers) const;
  void from_syntax(const std::string& symbol, FoundUses& found) const;
  void from_includes(const std::vector<std::string>& headers, FoundUses& found) const;
  std::vector<std::string> headers_with_assembly(const std::string& symbol) const;
  Place named_place(const Frame& frame, const std::string& callee) const;
  const std::vector<Frame>& frames(const Reference& reference) const;

  const ObjectGraph* object_;
  const Syntax* syntax_;
  const Ownership& ownership_;
  std::map<std::pair<std::string, unsigned>, std::vector<std::size_t>> uses_by_line_; ///< of the syntax
  std::unordered_map<std::string, std::vector<std::size_t>> nodes_by_symbol_;         ///< of the syntax
  std::vector<std::vector<std::size_t>> users_;        ///< nodes that use a node
  std::vector<std::vector<std::size_t>> uses_by_node_; ///< of the syntax
  std::map<std::string, Place> includes_;              ///< by real path
  mutable std::map<std::pair<std::size_t, std::size_t>, std::vector<Frame>> frames_;
};

/// The demangled symbol; unchanged if it is not mangled.
std::string demangled(std::string_view symbol);

/// `std::format` of `std::string std::format<int>(...)`: without result, arguments and template arguments.
std::string short_name(std::string_view demangled_name);

} // namespace hostpin::probe
