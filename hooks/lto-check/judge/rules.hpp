// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/judge/judgement.hpp"

#include <cstdint>

namespace hostpin {

/// What a kind of linker does with a kind of stream.
enum class Treatment {
  reads_same,   ///< GCC: passes it to lto1, which takes its own version only
  reads_older,  ///< LLVM: reads code of its own release and older ones
  reads_device, ///< nvlink: reads code of its own toolkit and older ones of its major
  machine_code, ///< uses the machine code in the same file
  carries,      ///< ignores it: device code in a host link, host code in a device link
  rejects,      ///< fails with a message
  misses_first, ///< collect2: fails if anything needs it, because its first link lacks it
  drops,        ///< omits it; fails only if a symbol is missing
};

/// The treatment of one stream, of a member of an archive or of a file itself.
Treatment treatment(const Bitstream& stream, const Linker& linker, const LinkShape& shape, bool in_archive);

/// Whether this linker reads the bitcode of every member of an archive, needed or not. It reads only a part,
/// so that even newer bitcode may pass.
bool reads_every_member(const Bitstream& stream, const Linker& linker);

/// What happens if this linker reads a member only for its symbols.
enum class Glance {
  untold, ///< not examined
  passes,
  fails,
  chance, ///< whether it can read the member is not known
};

/// What an LLVM of that major (13 to 22) does with bitcode whose newest attribute has that number.
Glance glance_of(int reader, std::uint64_t newest_attribute);

/// Whether bitcode of a newer LLVM than the reader's may load, depending on its content.
bool may_load_newer(int producer, int reader);

} // namespace hostpin
