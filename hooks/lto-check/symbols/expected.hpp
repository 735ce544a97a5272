// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/Support/Error.h>
#include <optional>
#include <utility>

namespace hostpin::lto {

/// The value of an llvm::Expected; drops the error.
template <typename T>
std::optional<T> value_of(llvm::Expected<T> expected) {
  if (expected)
    return std::move(*expected);
  llvm::consumeError(expected.takeError());
  return std::nullopt;
}

} // namespace hostpin::lto
