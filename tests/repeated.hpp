// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdlib>
#include <string_view>

namespace hostpin::test {

/// Whether the address sanitizer makes everything up to sixty times as slow.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

/// Of so much work whose amount is a matter of time: all of it with HOSTPIN_FULL=1, otherwise, and under the
/// address sanitizer, a tenth.
inline unsigned repeated(unsigned count) {
  const char* const full = std::getenv("HOSTPIN_FULL");
  return !sanitized && full != nullptr && std::string_view(full) == "1" ? count : count / 10;
}

} // namespace hostpin::test
