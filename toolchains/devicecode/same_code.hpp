// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"
#include "toolchains/binary/decompress.hpp"
#include "toolchains/binary/fatbin.hpp"

#include <optional>
#include <string>

namespace hostpin::devicecode {

/// A file and the same bytes for the decompressor. The bytes must outlive the copies of both.
struct Readable {
  binary::Bytes bytes;
  binary::Blob blob;
};

/// Compares device code as the driver gets it: decompressed, and without the zeros that fill up the last
/// eight bytes. What is stored alike is not decompressed.
class CodeComparison {
public:
  /// How the code of an entry of `before` differs from one of `after`, such as `its code, from byte 0x40 on`;
  /// nothing if they are the same. Damage if one cannot be read or decompressed, or has more code than the
  /// 1 GB that any real one may have.
  binary::Reading<std::optional<std::string>> difference(const Readable& before,
                                                         const binary::EmbeddedCode& in_before,
                                                         const Readable& after,
                                                         const binary::EmbeddedCode& in_after);

private:
  binary::Inflater inflater_;
};

/// The first offset at which `size` bytes differ; nothing if they are the same. Damage if they cannot be
/// read.
binary::Reading<std::optional<std::uint64_t>> first_difference(const binary::Bytes& before, std::uint64_t at,
                                                               const binary::Bytes& after, std::uint64_t to,
                                                               std::uint64_t size);

} // namespace hostpin::devicecode
