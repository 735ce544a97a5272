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
  std::string cure;         ///< how to fix it; empty if it fits
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

} // namespace hostpin
