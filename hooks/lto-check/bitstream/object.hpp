// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/bitstream/streams.hpp"
#include "toolchains/binary/bytes.hpp"

namespace hostpin {

/// Adds the streams of one input that is no archive. After damage those that were found before it are there.
binary::Reading<bool> read_streams(const binary::Bytes& input, ProducerReader producer, Streams& streams);

} // namespace hostpin
