// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/bitstream/bitstream.hpp"
#include "hooks/lto-check/linker/linker.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hostpin::lto {

enum class LtoVerdict {
  ok,          ///< this linker takes it, or the machine code in the same file
  mismatch,    ///< the link fails
  risky,       ///< it may or may not load, or is an archive member that this link may not need
  silent_loss, ///< the linker would succeed and omit the code
  unreadable,  ///< damaged, or not a readable file
  none,        ///< without intermediate code
};

/// `ok`, `mismatch`, `risky`, `silent-loss`, `unreadable`, `none`.
const char* to_string(LtoVerdict verdict);

/// The judgement of one stream of one input; an input without streams has one too.
struct Judgement {
  std::string path;
  std::vector<std::string> member;
  std::optional<Bitstream> stream;
  LtoVerdict verdict = LtoVerdict::none;
  bool refused = false;     ///< stops the link; a `risky` one may or may not
  std::string expected;     ///< what this linker takes: `LTO 12.0`, `LLVM 16 or older`; empty if it fits
  std::string reason;       ///< one sentence; empty if it fits
  std::string fix;          ///< how to fix it; empty if it fits
  std::uint64_t offset = 0; ///< of the member's content in its archive, as in `LtoInput`
};

/// Whether a link takes a member of an archive.
enum class Need {
  certain,  ///< a direct input, or a member that is certainly pulled
  unknown,  ///< a member that may or may not be pulled
  unlikely, ///< a member that is not pulled according to symbol tables
};

/// Options of a link that change how it treats its inputs.
struct LinkShape {
  bool shared = false;
  bool relocatable = false;
  bool fat_bitcode = false; ///< --fat-lto-objects
  bool device_lto = false;  ///< nvlink's -dlto
  bool undefined = false;   ///< undefined symbols are allowed, so that missing code causes no error
};

/// What a kind of linker does with a kind of stream.
enum class Treatment {
  reads_same,   ///< GCC: passes it to lto1, which takes its own version only
  reads_older,  ///< LLVM: reads code of its release and older ones
  reads_device, ///< nvlink: reads code of its toolkit and older ones of its major
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
  unexamined, ///< not examined
  passes,
  fails,
  chance, ///< whether it can read the member is not known
};

/// What an LLVM of that major (13 to 22) does with bitcode whose newest attribute has that number.
Glance glance_of(int reader, std::uint64_t newest_attribute);

/// Whether bitcode of a newer LLVM than the reader's may load, depending on its content.
bool may_load_newer(int producer, int reader);

} // namespace hostpin::lto
