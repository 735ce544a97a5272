// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// A place in a source, and what stands there.
struct Place {
  std::string file; ///< absolute, symlinks kept
  unsigned line = 0;
  unsigned column = 0; ///< in bytes, from 1; 0 when unknown
  std::string what;    ///< what is used there, such as `std::string::replace`
};

/// How Clang is to read a source.
struct ParsePlan {
  std::string source;
  std::string directory;          ///< where the command runs
  std::vector<std::string> flags; ///< of the compile command
  std::string triple;             ///< empty: as the flags say
  std::string gcc_version;        ///< the GCC to look like, `13.3.0`; empty: Clang's own
  std::string standard;           ///< `gnu++17`, for a command without -std
  bool is_c = false;              ///< C, not C++
  std::vector<std::string>
      system_directories; ///< searched behind those of the flags; empty: as Clang finds them
  std::string resources;  ///< directory whose `include` has Clang's own headers
};

/// What a source says, as far as libraries are concerned: files of the user's own use things, and those use
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
  std::vector<Use> uses;                 ///< in files of the user's own
  std::map<std::string, Place> data;     ///< the user's own classes and variables, by symbols of their data
  std::map<std::string, Place> includes; ///< where a file was included first, by its path
  struct Assembly {
    std::string text;
    std::string file;
  };
  std::vector<Assembly> assembly;        ///< at file scope
  std::vector<std::string> system_files; ///< of those that were read
  std::size_t errors = 0;
  std::string first_error; ///< with its place; empty when there was none
};

/// Reads a source. Errors in it do not end that; an error is returned when the flags make no sense or the
/// reader itself gave up.
Result<Syntax> read_syntax(const ParsePlan& plan);

} // namespace hostpin
