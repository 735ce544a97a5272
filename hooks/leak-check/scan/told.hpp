// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/scan/scanned_file.hpp"

#include <cstddef>
#include <cstdint>

namespace hostpin {

/// Sums the memory that what is told of a file takes, as it grows.
class ToldBytes {
public:
  /// Of all that was told by now; what was counted before is not looked at again, even where it is gone.
  std::uint64_t of(const ScannedFile& file);

private:
  std::uint64_t bytes_ = 0;
  std::size_t parts_ = 0, found_ = 0, unseen_ = 0; ///< counted
};

} // namespace hostpin
