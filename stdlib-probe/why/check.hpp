// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/command.hpp"
#include "stdlib-probe/facts/facts.hpp"
#include "stdlib-probe/why/compile_command.hpp"
#include "stdlib-probe/why/limit.hpp"
#include "stdlib-probe/why/report.hpp"
#include "toolchains/table/symbol_versions.hpp"

#include <map>
#include <string>
#include <vector>

namespace hostpin::probe {

/// Checks sources one after the other; caches the answers of compilers and libraries in memory.
class Checker {
public:
  /// All must outlive it. `library` replaces the compiler's own for versions; may be empty.
  Checker(const ProbeContext& context, const Limit& limit, const std::vector<SymbolRelease>& releases,
          std::string library, bool predict);

  /// `command.source` must be set. A source that cannot be checked has an error inside. Changes the process's
  /// current directory, because compilers resolve relative paths from there.
  SourceAnswer check(const CompileCommand& command);
  /// The same of an object or archive, `command.source`, whose compiler is the command's. `symbols`: those to
  /// explain, whatever their version; empty: all of libstdc++ above the limit.
  SourceAnswer check_object(const CompileCommand& command, const std::vector<std::string>& symbols);

private:
  Result<void> fill(const CompileCommand& command, SourceAnswer& answer);
  Result<void> fill_from_object(const CompileCommand& command, const std::vector<std::string>& symbols,
                                SourceAnswer& answer);
  Result<Facts> facts_of(const Invocation& invocation, const std::string& directory);
  Result<std::string> library_of(const Facts& facts) const;
  Result<const LibrarySymbols*> symbols_of(const std::string& path);
  void add_need(const std::string& symbol, const std::string& version, SourceAnswer& answer) const;

  const ProbeContext& context_;
  const Limit& limit_;
  const std::vector<SymbolRelease>& releases_;
  std::string library_;
  bool predict_;
  std::map<std::vector<std::string>, Result<Facts>> facts_;
  std::map<std::string, LibrarySymbols> libraries_;
};

} // namespace hostpin::probe
