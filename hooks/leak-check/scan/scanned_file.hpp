// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/finding.hpp"
#include "hooks/leak-check/needles/scan.hpp"
#include "toolchains/binary/elf.hpp"
#include "toolchains/fatbin/holding.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What a scan tells of one file: facts and places, no judgement.

namespace hostpin {

/// A needle where it stands. The same one in the same section, told the same way, counts once.
struct FoundNeedle {
  std::uint32_t needle = 0; ///< index into NeedleSet::paths()
  Location where;           ///< of the first one; the offset counts from the beginning of its member
  std::string text;   ///< the path that stands at the first, at most PATH_MAX: `/opt/gcc-11/lib64/libgomp.so`
  std::string common; ///< what all of them lie at or below: `text` itself where all are alike
  std::uint64_t times = 1;            ///< how often
  std::vector<std::uint64_t> offsets; ///< of the first of them, ascending, `most_offsets` at most
  Hit::How how = Hit::How::exact;
  Hit::Encoding encoding = Hit::Encoding::bytes;
  bool attached = false; ///< a word stands right before each of them; see Hit

  static constexpr std::size_t most_offsets = 8;
};

struct ElfNote {
  std::string section;
  std::string owner;       ///< `GNU`, `NVIDIA Corp`
  std::uint32_t type = 0;  ///< means something with its owner only
  std::string description; ///< bytes, the first 4096
};

struct ElfFacts {
  enum class Type { relocatable, program, library, other }; ///< a position-independent program is a program
  Type type = Type::other;
  ElfKind kind;
  /// What the loader reads; nothing for relocatable objects, and for programs that are linked statically.
  std::optional<Image> image;
  std::vector<std::string>
      comment; ///< of .comment, each once: the compilers and linkers that had a part in it
  std::vector<ElfNote> notes;
  std::string build_id; ///< in hexadecimal; empty when there is none

  // By strings that no other code has, so they hold for stripped files too. Unknown without content.
  bool has_libstdcxx =
      false;               ///< libstdc++'s own code stands in here: linked statically, or it is that library
  bool has_cudart = false; ///< the same of libcudart
  bool names_driver = false; ///< `libcuda.so` is a string of it: it opens the driver itself
};

/// A path in a text file that others read when they compile, link or run.
struct TextReference {
  std::string key;          ///< `dependency_libs`, `Libs.private`, `IMPORTED_LOCATION_RELEASE`, `#!`
  std::string path;         ///< absolute; variables that the file itself sets are replaced
  std::uint64_t offset = 0; ///< where the line begins
  std::uint64_t line = 0;   ///< from 1
};

struct TextFacts {
  enum class Kind { libtool, pkg_config, cmake, linker_script, script };
  Kind kind = Kind::script;
  std::vector<TextReference> references;
  bool is_cut = false;          ///< it has more than `references`
  std::uint64_t first_line = 0; ///< bytes of a script's, without its end
};
/// `libtool`, `pkg-config`, `cmake`, `linker-script`, `script`.
std::string_view to_string(TextFacts::Kind kind);

/// The file itself, or something within an archive or a compressed file, of which there is something to tell.
struct ScannedPart {
  std::vector<std::string> member; ///< as in Location; empty for the file itself
  std::uint64_t size = 0;          ///< bytes, unpacked
  std::optional<ElfFacts> elf;
  std::optional<TextFacts> text;
  std::optional<std::string> link_target; ///< a symlink's, as it stands
};

/// One file of a tree. All locations carry `path`.
struct ScannedFile {
  enum class Kind { elf, static_archive, packed, text, symlink, other };
  std::string path; ///< below the scanned tree, or as the file was named
  std::string file; ///< where it is: what has to be opened to read it again
  Kind kind = Kind::other;
  std::uint64_t size = 0; ///< bytes, as stored
  /// Another name of the same file came before, where its content is told: this is that path. Parts are told
  /// again.
  std::optional<std::string> hard_link_of;
  std::vector<ScannedPart> parts;
  std::vector<FoundNeedle> found; ///< by member, offset and needle; in symlink targets too
  std::vector<Unseen> unseen;
  Holding device_code = {}; ///< of all its fatbins that were opened, those of its members too
};

} // namespace hostpin
