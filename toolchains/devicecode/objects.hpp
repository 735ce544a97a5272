// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"
#include "toolchains/devicecode/image.hpp"
#include "toolchains/devicecode/keeping.hpp"
#include "toolchains/devicecode/rewriting.hpp"
#include "toolchains/devicecode/slimming.hpp"

#include <string>
#include <vector>

namespace hostpin::devicecode {

/// What a file is to slim.
enum class Carrier {
  none,    ///< it has no fatbins, or is of a kind that is not changed
  linked,  ///< a program or a shared library, for slim.hpp
  object,  ///< relocatable
  archive, ///< of objects, not thin
  thin,    ///< an archive that names its members
  fatbin,  ///< a file of fatbins
};

/// Reads only headers. Damage if the headers cannot be read.
binary::Reading<Carrier> carrier(const binary::Bytes& file);

/// The file with less device code, for all carriers but `none`, `linked` and `thin`; its numbers are added to
/// `slimming`. Damage, as the end of a sentence about the file, also for what cannot be changed safely. The
/// member of an archive is named in it.
binary::Reading<Rewriting> slim_file(const binary::Bytes& file, const Keeping& keeping, Slimming& slimming);

/// The same for a program or a shared library, by slim_linked.
binary::Reading<Rewriting> slim_program(const binary::Bytes& file, const Keeping& keeping,
                                        Slimming& slimming);

/// The parts of slim_file. An object's device code shrinks and what follows moves up, by multiples of all
/// alignments; symbols and relocations for later fatbins are changed with it. Refused is an object with a
/// symbol or relocation that leads into a fatbin, as no compiler writes.
binary::Reading<Rewriting> slim_object(const binary::Bytes& file, const Keeping& keeping, Slimming& slimming);
binary::Reading<Rewriting> slim_fatbins(const binary::Bytes& file, const Keeping& keeping,
                                        Slimming& slimming);
/// The object with other fatbins, which may be larger: for each section of fatbins their bytes.
binary::Reading<Rewriting> object_with(const binary::Bytes& file, const Image& image,
                                       const std::vector<std::vector<std::string>>& fatbins);
/// Members move, and so do their offsets in the archive's table of symbols, which has to be GNU's.
binary::Reading<Rewriting> slim_archive(const binary::Bytes& file, const Keeping& keeping,
                                        Slimming& slimming);

} // namespace hostpin::devicecode
