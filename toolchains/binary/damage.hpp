// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace hostpin::binary {

/// A defect in untrusted bytes, as the end of a sentence about the file: `its section headers lie past its
/// end`.
struct Damage {
  std::string what;
  std::uint64_t at = 0; ///< offset in the bytes, if the reader provides it
  bool cut = false;     ///< bytes are missing, rather than wrong; likewise
};

/// The parsed value, or why there is none.
template <typename T>
using Reading = tl::expected<T, Damage>;

inline tl::unexpected<Damage> damaged(std::string what, std::uint64_t at = 0, bool cut = false) {
  return tl::unexpected<Damage>(Damage{std::move(what), at, cut});
}

} // namespace hostpin::binary
