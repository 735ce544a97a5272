// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace hostpin {

/// A failure outside the program: one sentence that names the thing, and what to do next (may be empty).
struct Error {
  std::string message;
  std::string hint;
};

/// A value, or the Error that prevented it. A function that returns a Result throws no exceptions.
template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> failure(std::string message, std::string hint = {}) {
  return tl::unexpected<Error>(Error{std::move(message), std::move(hint)});
}

} // namespace hostpin
