// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace hostpin {

/// SHA-256 (FIPS 180-4) of bytes that arrive in pieces.
class Sha256 {
public:
  Sha256();
  Sha256(Sha256&& other) noexcept;
  Sha256& operator=(Sha256&& other) noexcept;
  ~Sha256();

  void update(std::string_view bytes);
  /// 64 lower-case hexadecimal digits of all bytes so far. Nothing may be added afterwards.
  std::string hex();

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// 64 lower-case hexadecimal digits.
std::string sha256_of(std::string_view bytes);

/// Adds the first `length` bytes of an open file, or all of it if it is shorter, from its beginning; the
/// number of bytes that were added. The file's offset does not change. `path` is for the error.
Result<std::uint64_t> update_from_file(Sha256& hash, int descriptor, std::uint64_t length,
                                       const std::string& path);

/// Of a regular file; the error names it.
Result<std::string> sha256_of_file(const std::string& path);

} // namespace hostpin
