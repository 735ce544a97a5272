// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/bitstream/streams.hpp"

#include <algorithm>

namespace hostpin {

using namespace binary;

namespace {

constexpr std::size_t most_streams = 256;

} // namespace

Reading<bool> Streams::add(Bitstream stream) {
  if (std::find(streams_.begin(), streams_.end(), stream) != streams_.end())
    return true;
  if (streams_.size() == most_streams)
    return damaged("it holds more versions of code than any real input");
  streams_.push_back(std::move(stream));
  return true;
}

} // namespace hostpin
