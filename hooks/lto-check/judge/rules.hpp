// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/judge/judgement.hpp"

#include <cstdint>

namespace hostpin {

/// What a kind of linker does with a kind of stream.
enum class Treatment {
  reads_same,   ///< GCC: hands it to lto1, which takes its own version only
  reads_older,  ///< LLVM: reads what its own release and older ones wrote
  reads_device, ///< nvlink: reads what its own toolkit and older ones of its major wrote
  machine_code, ///< uses the machine code beside it
  carries,      ///< does not look inside: device code in a host link, host code in a device link
  rejects,      ///< fails, and says something
  misses_first, ///< collect2: fails if anything needs it, for its first link has nothing of it
  drops,        ///< leaves it out; only a symbol that is missed makes it fail
};

/// The row of the table for one stream, of a member of an archive or of a file itself.
Treatment treatment(const Bitstream& stream, const Linker& linker, const LinkShape& shape, bool in_archive);

/// Whether this linker reads the bitcode of every member of an archive, needed or not. What it reads of one
/// is little, so that even a newer one may pass.
bool reads_every_member(const Bitstream& stream, const Linker& linker);

/// What becomes of a member when this linker reads it only for its symbols.
enum class Glance {
  untold, ///< nobody has asked
  passes,
  fails,
  chance, ///< it reads the member, and whether it can is not known
};

/// How an LLVM of that major, of 13 to 22, fares with bitcode whose newest attribute has that number.
Glance glance_of(int reader, std::uint64_t newest_attribute);

/// Whether bitcode of a newer LLVM than the reader's has been seen to load by luck, depending on its content.
bool loads_by_luck(int producer, int reader);

} // namespace hostpin
