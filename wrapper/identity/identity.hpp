// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/plan/plan.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::identity {

/// What the bound compiler answers to nvcc's identity query, recorded when the binding was made. Every view
/// points into the bytes it was read from and is followed by a NUL.
struct Identity {
  std::string_view question; ///< the text that the bound toolkit's nvcc has its host compiler preprocess
  /// The compiler's output, split at each occurrence of the query file's name; at least two pieces.
  std::vector<std::string_view> answer;
  /// GCC only: files that would change it if they are in a directory of LIBRARY_PATH, relative to that.
  std::vector<std::string_view> specs;
  bool translated = false; ///< the compiler's messages, and so maybe its answer, are translated
  bool shared = false;     ///< parts of it are shared libraries, which LD_LIBRARY_PATH could replace
  std::vector<plan::PlanFile> files; ///< the answer's dependencies besides the plan's own files
};

/// Reads the bytes of an `identity` file; nothing when they are damaged or of another format. Never reads
/// outside `bytes`.
std::optional<Identity> read_identity(std::string_view bytes);

/// The bytes of an `identity` file; the same for the same identity.
std::string write_identity(const Identity& identity);

/// Splits a compiler's output at each occurrence of the name.
std::vector<std::string_view> pieces(std::string_view output, std::string_view name);

/// The inverse: what the compiler prints for a file of that name.
std::string answer_for(const Identity& identity, std::string_view name);

/// The file that the host compiler is called to preprocess, if the call is nvcc's identity query: exactly `-E
/// /path/name.cpp`, with a name that every compiler prints unchanged. Empty for every other call. A NUL
/// follows it, as in the argument.
std::string_view asked_file(std::span<const char* const> arguments);

/// Whether compilers print the name of an input file unchanged: it is absolute, and has no quotes,
/// backslashes or characters other than printable ASCII, which they escape.
bool is_repeated_as_it_is(std::string_view name);

// Which environment variables could change a compiler's answer.

/// The first variable of a `NAME=value` array under which the compiler's answer may differ from the record;
/// empty if there is none. LIBRARY_PATH is handled separately (`specs_files`).
std::string_view disturbing_variable(const Identity& identity, const char* const* envp);

/// The same for one variable.
bool disturbs(const Identity& identity, std::string_view name, std::string_view value);

/// Where GCC's driver would search for its specs because of LIBRARY_PATH, each a C string: if one of them
/// exists, the answer may differ. Nothing if a directory is relative, because the result is then unknown.
std::optional<std::vector<std::string>> specs_files(const Identity& identity, std::string_view library_path);

} // namespace hostpin::identity
