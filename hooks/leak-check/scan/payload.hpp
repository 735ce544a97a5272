// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/bytes/blob.hpp"
#include "hooks/leak-check/bytes/sniff.hpp"

#include <cstdint>
#include <optional>

namespace hostpin {

struct Subject;

/// What a file that extracts itself carries behind its program.
struct Payload {
  std::uint64_t offset = 0; ///< where it begins in the file
  Blob bytes;               ///< for whoever unpacks it
  Sniffed sniffed;          ///< packed or closed
};

/// Looks where a program ends and nowhere else, so that bytes which happen to look like an archive are not
/// taken for one: a zip by the record at its end, behind anything; something packed at the beginning of a
/// line of a script, however long that is, or behind the last byte that an ELF file's own tables tell of. A
/// script that goes on in binary, a zip64 whose record does not fit, and a program packed by UPX are closed
/// ones.
std::optional<Payload> payload_of(const Subject& subject);

} // namespace hostpin
