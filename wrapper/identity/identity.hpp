// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/plan/plan.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// What the bound compiler answers when nvcc asks who it is, recorded when the binding was made. Every view
/// points into the bytes it was read from and is followed by a NUL.
struct Identity {
  std::string_view question; ///< the text that the bound toolkit's nvcc has its host compiler preprocess
  /// The compiler's output for it, cut wherever the name of the file with the question stood; two at least.
  std::vector<std::string_view> answer;
  /// GCC only: files that would change it when they lie in a directory of LIBRARY_PATH, named from there.
  std::vector<std::string_view> specs;
  bool translated = false;     ///< the compiler speaks the user's language, and so may its answer
  bool shared = false;         ///< parts of it are shared libraries, which LD_LIBRARY_PATH could replace
  std::vector<PlanFile> files; ///< what the answer rests on besides the plan's own files
};

/// Reads the bytes of an `identity` file; nothing when they are damaged or of another format. Never reads
/// outside `bytes`.
std::optional<Identity> read_identity(std::string_view bytes);

/// The bytes of an `identity` file; the same for the same identity.
std::string write_identity(const Identity& identity);

/// Cuts a compiler's output wherever the name stands.
std::vector<std::string_view> pieces(std::string_view output, std::string_view name);

/// The other way round: what the compiler prints for a file of that name.
std::string answer_for(const Identity& identity, std::string_view name);

} // namespace hostpin
