// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/bytes/blob.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace hostpin {

/// A member of an archive made by `ar`.
struct ArMember {
  std::string name;
  std::uint64_t header = 0; ///< where its header begins in the archive
  std::uint64_t offset = 0; ///< of its content
  std::uint64_t size = 0;   ///< 0 in a thin archive, which holds names only
  bool is_index = false;    ///< the archive's own: a table of symbols or of long names
};

/// Calls `visit` for each member in the archive's order, while it says so. Reads names as GNU, BSD and COFF
/// tools write them. The error says what is damaged; members before it were told. Memory does not grow with
/// the archive, but for its table of long names.
Result<void> read_ar(const Blob& archive, const std::function<bool(const ArMember&)>& visit);

} // namespace hostpin
