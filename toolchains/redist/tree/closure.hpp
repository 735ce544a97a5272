// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/redist/tree/root.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hostpin::redist {

/// Why a file is in a closure.
enum class ClosureReason {
  chosen,   ///< it was requested
  needed,   ///< DT_NEEDED of a library or program
  opened,   ///< a library may open it by name
  included, ///< a header includes it
};

std::string_view to_string(ClosureReason reason);

/// One step from a file to the next.
struct ClosureStep {
  std::size_t file = 0; ///< index in `Root::files()`
  ClosureReason reason = ClosureReason::chosen;

  bool operator==(const ClosureStep&) const = default;
};

/// The part of a closure that belongs to one output of one package.
struct ClosurePart {
  std::string package;
  std::string platform;
  std::string output;
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  ClosureReason reason = ClosureReason::chosen; ///< of the first file that was reached
  std::vector<ClosureStep> why;                 ///< from a chosen file to the first one that was reached
};

/// What files of a root need, and its size.
struct FileClosure {
  std::uint64_t chosen = 0;          ///< bytes of the files that were requested
  std::uint64_t needed = 0;          ///< of those and what they need
  std::uint64_t opened = 0;          ///< with what may be opened by name too
  std::uint64_t included = 0;        ///< with what headers include too
  std::vector<ClosurePart> parts;    ///< by package, platform and output
  std::vector<std::string> expected; ///< sonames that only exist where programs run
  std::vector<std::string> missing;  ///< needed or opened, and in neither the root nor expected
};

/// The files that a request names: `PACKAGE`, `PACKAGE.OUTPUT`, or a file's name or path. An error with the
/// packages of the root if it names nothing.
Result<std::vector<std::size_t>> chosen_files(const Root& root, const std::string& request);

/// All packages and outputs of a root, as requests: `libcublas.lib`.
std::vector<std::string> all_requests(const Root& root);

/// What files need and open, found by reading each file once.
class Relations {
public:
  Relations(const Root& root, const TreeFacts& facts) : root_(root), facts_(facts) {}

  FileClosure closure(const std::vector<std::size_t>& chosen);

private:
  struct Edges {
    bool read = false;
    std::vector<ClosureStep> steps;
    std::vector<std::string> expected, missing;
  };

  const Edges& edges(std::size_t file);
  void add_library_edges(const RootFile& file, Edges& edges);
  void add_header_edges(const RootFile& file, Edges& edges);
  std::size_t index_of(const RootFile& file) const;

  const Root& root_;
  const TreeFacts& facts_;
  std::vector<Edges> edges_;
};

} // namespace hostpin::redist
