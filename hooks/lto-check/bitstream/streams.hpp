// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/bitstream/bitstream.hpp"
#include "toolchains/binary/bytes.hpp"

#include <vector>

namespace hostpin {

/// The different streams of one input.
class Streams {
public:
  /// An equal stream is added once. Damage if there are more than any real input has.
  binary::Reading<bool> add(Bitstream stream);

  std::vector<Bitstream> take() { return std::move(streams_); }

private:
  std::vector<Bitstream> streams_;
};

} // namespace hostpin
