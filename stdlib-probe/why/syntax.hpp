// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::probe {

/// A location in a source, and what is used there.
struct Place {
  std::string file; ///< absolute, symlinks not resolved
  unsigned line = 0;
  unsigned column = 0; ///< in bytes, from 1; 0 if unknown
  std::string what;    ///< what is used there, such as `std::string::replace`
};

/// How Clang parses a source.
struct ParsePlan {
  std::string source;
  std::string directory;          ///< where the command runs
  std::vector<std::string> flags; ///< of the compile command
  std::string triple;             ///< empty: the target of the flags
  std::string gcc_version;        ///< the GCC to imitate, `13.3.0`; empty: Clang's default
  std::string standard;           ///< `gnu++17`, for a command without -std
  bool is_c = false;              ///< C, not C++
  std::vector<std::string>
      system_directories; ///< searched after the flags' directories; empty: Clang's default
  std::string resources;  ///< directory whose `include` has Clang's own headers
};

/// What a source uses from libraries: the user's files use functions and data, and those use
/// others.
struct Syntax {
  struct Node {
    std::vector<std::string> symbols; ///< mangled; a constructor has several
    std::vector<std::size_t> uses;    ///< nodes
    bool may_be_absent = false;       ///< another object or a library may have to define it
    bool in_system = false;           ///< declared in a system header
  };
  struct Use {
    Place place;
    std::size_t node = 0;
  };
  std::vector<Node> nodes;
  std::vector<Use> uses;                 ///< in the user's files
  std::map<std::string, Place> data;     ///< the user's own classes and variables, by symbols of their data
  std::map<std::string, Place> includes; ///< the first inclusion of each file, by its path
  struct Assembly {
    std::string text;
    std::string file;
  };
  std::vector<Assembly> assembly;        ///< at file scope
  std::vector<std::string> system_files; ///< system headers that were read
  std::size_t errors = 0;
  std::string first_error; ///< with its location; empty if there was none
};

/// Parses a source and continues after errors in it; returns an error if Clang does not accept the flags or
/// crashes.
Result<Syntax> read_syntax(const ParsePlan& plan);

} // namespace hostpin::probe
