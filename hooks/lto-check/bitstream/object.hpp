// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/bitstream/streams.hpp"
#include "toolchains/binary/bytes.hpp"

namespace hostpin {

/// Adds the streams of one input other than an archive. After damage, those found before it have been added.
binary::Reading<bool> read_streams(const binary::Bytes& input, ProducerReader producer, Streams& streams);

} // namespace hostpin
