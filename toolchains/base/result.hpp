// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace hostpin {

/// What failed, for code that reacts to a failure. Messages and hints are for people: no code compares them.
enum class ErrorKind : unsigned char {
  other,
  disk_full,   // ENOSPC or EDQUOT
  unreachable, // a server does not answer
  unavailable, // no source has it, another source may
  no_answer,   // a program did not answer in time
  no_fit,      // no compiler fits the toolkit, or the named one does not
  link_proof,  // a finished link needs what its libraries do not define
  lto,         // link-time code does not fit the linker
};

/// A failure outside the program: one sentence that names the thing, and what to do next (may be empty).
struct Error {
  std::string message;
  std::string hint;
  ErrorKind kind = ErrorKind::other;
};

/// A value, or the Error that prevented it. A function that returns a Result throws no exceptions.
template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> failure(std::string message, std::string hint = {},
                                     ErrorKind kind = ErrorKind::other) {
  return tl::unexpected<Error>(Error{std::move(message), std::move(hint), kind});
}

// clang-format off
#define HOSTPIN_JOINED_AGAIN(first, second) first##second
#define HOSTPIN_JOINED(first, second) HOSTPIN_JOINED_AGAIN(first, second)
#define HOSTPIN_TRY_ASSIGN(result, target, ...)             \
  auto result = (__VA_ARGS__);                              \
  if (!result)                                              \
    return tl::unexpected(std::move(result).error());       \
  target = *std::move(result)

/// Returns the error of a Result from the enclosing function, if it has one.
#define TRY(...)                                            \
  do {                                                      \
    if (auto tried = (__VA_ARGS__); !tried)                 \
      return tl::unexpected(std::move(tried).error());      \
  } while (false)

/// `TRY_ASSIGN(auto value, result)` declares (or assigns) the value of a Result, or returns its error from the
/// enclosing function. It is two statements: it needs a block around it.
#define TRY_ASSIGN(target, ...) HOSTPIN_TRY_ASSIGN(HOSTPIN_JOINED(tried_, __LINE__), target, __VA_ARGS__)
// clang-format on

} // namespace hostpin
