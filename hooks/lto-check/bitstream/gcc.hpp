// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/bitstream/bitstream.hpp"
#include "toolchains/binary/bytes.hpp"
#include "toolchains/binary/kind.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::lto {

/// Adds a stream unless an equal one is there. Damage if there are more than any real input has.
binary::Reading<bool> add_stream(std::vector<Bitstream>& streams, Bitstream stream);

/// GCC's bytecode in one object, which `ld -r` may have merged from translation units of several GCCs.
class GccCode {
public:
  /// `sections` must outlive it.
  explicit GccCode(const binary::SectionTable& sections) : sections_(sections) {}

  /// `name` and `role` are the section's; the name ends at a NUL or with the text.
  binary::Reading<bool> add(const binary::ObjectSection& section, std::string_view name,
                            binary::SectionRole role);
  /// Adds the streams of all sections to `streams`. `producer`: their compiler, if only one is known.
  binary::Reading<bool> finish(const std::string& producer, std::vector<Bitstream>& streams);

private:
  /// The names of one translation unit's sections end in the same number.
  struct Unit {
    std::uint64_t id = 0;
    std::uint64_t offset = 0, size = 0; ///< of its declarations
  };
  binary::Reading<bool> add_version(const binary::ObjectSection& section, bool& zstd);
  binary::Reading<bool> check_compression() const;
  binary::Reading<bool> add_older(const Unit& unit, bool slim);
  binary::Reading<bool> is_slim() const;
  bool names_device_label() const;

  const binary::SectionTable& sections_;
  bool seen_ = false;
  /// Units with a section that holds their version, from GCC 10 on: whether that declares their other
  /// sections compressed by zstd instead of zlib.
  std::map<std::uint64_t, bool> versioned_;
  bool assembler_ = false;                     ///< it has assembler text
  std::vector<binary::ObjectSection> symbols_; ///< symbol tables, of few units
  std::vector<Unit> declared_;
  std::vector<Bitstream> found_;
};

struct GccVersion {
  std::uint32_t major = 0, minor = 0;
};

/// The version in the first four bytes, which are in the byte order of the compiler's machine: a major is
/// never 0 and below 256, so the byte order can be detected. Nothing if they are not a version.
std::optional<GccVersion> gcc_version(std::string_view bytes);

/// The same from the first bytes of a zlib stream, as GCC 9 and older wrote their sections.
std::optional<GccVersion> gcc_version_in_zlib(std::string_view stream);

} // namespace hostpin::lto
