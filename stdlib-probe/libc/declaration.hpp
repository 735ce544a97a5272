// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/libc/comparison.hpp"

#include <set>
#include <string>
#include <vector>

namespace clang {
class CompilerInstance;
} // namespace clang

namespace hostpin::probe {

struct Mistake;

/// Clang does not support __attribute__((device_builtin)); the source defines it as this annotation.
constexpr const char* builtin_mark = "device_builtin";

/// The exception specification of a declaration.
enum class Promise {
  none,    ///< none; __attribute__((nothrow)) is none too
  throws,  ///< noexcept(false)
  nothing, ///< throw(), noexcept, noexcept(true)
  listed,  ///< throw(X)
};

/// One declaration of a function in the global scope, as written.
struct FunctionDeclaration {
  std::string name;
  std::string parameters; ///< canonical types, separated by commas
  std::string result;     ///< canonical type
  Promise promise = Promise::none;
  bool c_linkage = false; ///< it is in an extern "C"
  bool toolkit = false;   ///< of the toolkit; else of the C library
  bool system = false;    ///< in a system header
  bool builtin = false;   ///< __attribute__((device_builtin)): a function built into nvcc
  std::string file;       ///< absolute, without . and ..
  unsigned line = 0;
};

struct Declarations {
  std::vector<FunctionDeclaration> all; ///< in the order of the source
  struct NotUnderstood {
    std::string name;
    bool toolkit = false;
    std::string why; ///< `file:line: ...`
  };
  std::vector<NotUnderstood> not_understood; ///< declarations that Clang cannot parse
};

/// The global functions of a parsed source. Those in `toolkit_directories` are the toolkit's.
Declarations declarations_in(const clang::CompilerInstance& compiler, const std::vector<Mistake>& mistakes,
                             const std::vector<std::string>& toolkit_directories);

/// The declarations of one function by both sides that nvcc's front end (EDG) refuses, measured with
/// CUDA 11.2 to 13.0. `compared` is set to the number of functions that both sides declare.
std::vector<Clash> clashes_among(const std::vector<FunctionDeclaration>& declarations, unsigned& compared);

} // namespace hostpin::probe
