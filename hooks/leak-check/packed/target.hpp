// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>

namespace hostpin {

/// Where unpacked bytes go, without a copy on their way.
class Target {
public:
  Target() = default;
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;
  virtual ~Target() = default;

  /// Where the next bytes are to be written; never empty.
  virtual std::span<char> space() = 0;
  /// The first `count` bytes of `space()` are the next ones; false when no more are wanted.
  virtual bool advance(std::size_t count) = 0;
};

} // namespace hostpin
