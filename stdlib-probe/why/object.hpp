// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hostpin::probe {

/// A location in the source and its function; an address in inlined functions has several.
struct Frame {
  std::string function; ///< its linkage name if the debug information has one
  std::string file;     ///< absolute; empty if unknown
  unsigned line = 0;    ///< 0 if unknown
  unsigned column = 0;  ///< 0 if unknown
};

/// A location in an object that refers to a symbol.
struct Reference {
  std::size_t holder = 0;  ///< node of the function or data that contains it
  std::size_t section = 0; ///< its location: section and offset in it
  std::size_t offset = 0;  ///< bytes
};

/// Which functions and data of a relocatable object refer to which, read from its relocations, unwind tables
/// and debug information. A node is one function, one piece of data, an undefined symbol, or a section's
/// bytes that belong to no symbol.
class ObjectGraph {
public:
  /// An error, naming the path, if it is not a relocatable ELF object or is damaged.
  static Result<ObjectGraph> read(const std::string& path);
  /// The same of an object, or of every ELF object in an archive that is not thin.
  static Result<std::vector<ObjectGraph>> read_all(const std::string& path);

  ObjectGraph(ObjectGraph&&) noexcept;
  ObjectGraph& operator=(ObjectGraph&&) noexcept;
  ~ObjectGraph();

  struct Undefined {
    std::string symbol;
    std::size_t node = 0;
  };
  /// Symbols that another object or a library must define, in the order of the symbol table.
  std::span<const Undefined> undefined() const;
  /// Names of a node; several for one address (constructors), none for bytes without a symbol.
  std::span<const std::string> names(std::size_t node) const;
  std::span<const Reference> references_to(std::size_t node) const;
  /// The source of a reference, innermost function first; empty for data and if nothing is known.
  std::vector<Frame> frames(const Reference& reference) const;

private:
  struct State;
  static Result<ObjectGraph> of(std::unique_ptr<State> state, const std::string& name);
  explicit ObjectGraph(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace hostpin::probe
