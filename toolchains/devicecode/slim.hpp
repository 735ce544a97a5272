// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"
#include "toolchains/binary/pieces.hpp"
#include "toolchains/devicecode/image.hpp"
#include "toolchains/devicecode/keeping.hpp"
#include "toolchains/fatbin/holding.hpp"
#include "toolchains/gpus/capability.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hostpin::devicecode {

/// A fatbin that does not run on some of the GPUs that its file is reduced to.
struct UnservedFatbin {
  std::size_t index = 0;              ///< in the file, from 0
  std::vector<gpus::Capability> gpus; ///< that nothing in it runs on
  std::vector<gpus::Capability> lost; ///< of them, those that something runs on that does not stay
  std::vector<std::string> names;     ///< of some of its sources or kernels; empty if none could be read
};

/// A linked file with the device code of some GPUs only.
struct Slimmed {
  std::vector<binary::Piece> pieces;   ///< the new file, made from the old one
  std::uint64_t before = 0, after = 0; ///< bytes of the files
  fatbin::Holding held_before, held_after;
  std::vector<UnservedFatbin> unserved;
  bool changed = false; ///< false if everything stays: then the new file has the same device code
};

/// Keeps of a program or a shared library what `kept` selects. Fatbins stay, if need be without entries,
/// which has the same effect as one for other GPUs; relocatable code, which the driver links if what a device
/// link wrote has nothing for a GPU, stays for such GPUs and, as PTX, for later ones; LTO-IR, which it never
/// links, does not. Damage, as the end of a sentence about the file, also if it cannot be changed.
binary::Reading<Slimmed> slim_linked(const binary::Bytes& file, const Image& image, const Keeping& keeping);

/// The names of up to `most` kernels of an entry, or of the source that the compiler noted in it. `entry.at`
/// is the offset in `bytes`. Empty if it has none, or is damaged.
std::vector<std::string> names_in(const binary::Bytes& bytes, const binary::EmbeddedCode& entry,
                                  std::size_t most);

} // namespace hostpin::devicecode
