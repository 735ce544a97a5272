// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace hostpin {

/// What went wrong in the world: one sentence that names the thing, and what to do next (may be empty).
struct Error {
  std::string message;
  std::string hint;
};

/// A value, or the Error that kept it from being made. Exceptions never cross a function that returns one.
template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> failure(std::string message, std::string hint = {}) {
  return tl::unexpected<Error>(Error{std::move(message), std::move(hint)});
}

} // namespace hostpin
