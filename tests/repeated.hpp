// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace hostpin::test {

/// How often a test repeats something: so often, or a tenth where the address sanitizer makes it up to sixty
/// times as slow.
constexpr unsigned repeated(unsigned count) {
#if defined(__SANITIZE_ADDRESS__)
  return count / 10;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  return count / 10;
#else
  return count;
#endif
#else
  return count;
#endif
}

} // namespace hostpin::test
