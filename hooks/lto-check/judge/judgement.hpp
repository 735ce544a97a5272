// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/bitstream/bitstream.hpp"
#include "hooks/lto-check/linker/linker.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hostpin {

enum class LtoVerdict {
  ok,          ///< this linker takes it, or takes the machine code beside it
  mismatch,    ///< the link fails
  risky,       ///< it may load by luck, or is a member of an archive that this link may not need
  silent_loss, ///< the linker would say that all is well, and leave the code out
  unreadable,  ///< damaged or no file to read
  none,        ///< nothing for a compiler in it
};

/// `ok`, `mismatch`, `risky`, `silent-loss`, `unreadable`, `none`.
const char* to_string(LtoVerdict verdict);

/// What is to be said of one stream of one input; an input without streams has one judgement too.
struct Judgement {
  std::string path;
  std::vector<std::string> member;
  std::optional<Bitstream> stream;
  LtoVerdict verdict = LtoVerdict::none;
  bool refused = false; ///< this stops the link; a `risky` one may or may not
  std::string expected; ///< what this linker takes: `LTO 12.0`, `LLVM 16 or older`; empty when all is well
  std::string reason;   ///< one sentence; empty when all is well
  std::string cure;     ///< what to do about it; empty when all is well
  std::uint64_t offset = 0; ///< of the member's content in its archive, as `LtoInput` has it
};

/// Whether a link takes a member of an archive.
enum class Need {
  certain,  ///< an input of its own, or a member that is pulled for certain
  unknown,  ///< a member, and the link does not tell
  unlikely, ///< a member that symbol tables say is not pulled
};

/// How a link treats its inputs, besides what the linker is.
struct LinkShape {
  bool shared = false;
  bool relocatable = false;
  bool fat_bitcode = false; ///< --fat-lto-objects
  bool device_lto = false;  ///< nvlink's -dlto
  bool undefined = false;   ///< symbols that nothing defines are left open: no failure tells of them
};

} // namespace hostpin
