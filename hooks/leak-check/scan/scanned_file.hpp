// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/finding.hpp"
#include "hooks/leak-check/needles/scan.hpp"
#include "toolchains/binary/elf.hpp"
#include "toolchains/binary/machine.hpp"
#include "toolchains/fatbin/holding.hpp"
#include "toolchains/loader/cuda_functions.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What a scan returns for one file: facts and locations, no judgement.

namespace hostpin::leak {

/// Occurrences of a needle. Those of the same kind in the same section are counted in one.
struct FoundNeedle {
  std::uint32_t needle = 0; ///< index into NeedleSet::paths()
  Location where;           ///< of the first; the offset counts from the beginning of its member
  std::string text;         ///< the whole path at the first, at most PATH_MAX: `/opt/gcc-11/lib64/libgomp.so`
  std::string common;       ///< path that all of them are at or below: `text` itself if all are alike
  std::uint64_t times = 1;  ///< number of occurrences
  std::vector<std::uint64_t> offsets; ///< of the first ones, ascending, `most_offsets` at most
  Hit::How how = Hit::How::exact;
  Hit::Encoding encoding = Hit::Encoding::bytes;
  bool attached = false; ///< text directly precedes each of them; see Hit

  static constexpr std::size_t most_offsets = 8;
};

struct ElfNote {
  std::string section;
  std::string owner;       ///< `GNU`, `NVIDIA Corp`
  std::uint32_t type = 0;  ///< defined by its owner
  std::string description; ///< bytes, the first 4096
};

struct ElfFacts {
  enum class Type { relocatable, program, library, other }; ///< position-independent programs are programs
  Type type = Type::other;
  binary::ElfKind kind;
  /// What the loader reads; nothing for relocatable objects and statically linked programs.
  std::optional<binary::Image> image;
  /// Of a file with an image; nothing if its symbols are not known.
  std::optional<loader::CudaFunctions> cuda = std::nullopt;
  std::vector<std::string> comment; ///< of .comment, each once: the compilers and linkers that were used
  std::vector<ElfNote> notes;
  std::string build_id; ///< in hexadecimal; empty if there is none

  // By strings that no other code has, so valid for stripped files too. Unknown without content.
  bool has_libstdcxx = false; ///< contains libstdc++'s code: linked statically, or it is that library
  bool has_cudart = false;    ///< the same of libcudart
  bool names_driver = false;  ///< contains the string `libcuda.so`: it opens the driver itself
};

/// A path in a text file that is read when compiling, linking or running.
struct TextReference {
  std::string key;          ///< `dependency_libs`, `Libs.private`, `IMPORTED_LOCATION_RELEASE`, `#!`
  std::string path;         ///< absolute; variables that the file itself sets are expanded
  std::uint64_t offset = 0; ///< of the line
  std::uint64_t line = 0;   ///< from 1
};

struct TextFacts {
  enum class Kind { libtool, pkg_config, cmake, linker_script, script };
  Kind kind = Kind::script;
  std::vector<TextReference> references;
  bool is_cut = false;          ///< it has more than `references`
  std::uint64_t first_line = 0; ///< bytes of a script's first line, without its end
};
/// `libtool`, `pkg-config`, `cmake`, `linker-script`, `script`.
std::string_view to_string(TextFacts::Kind kind);

/// The facts of the file itself, or of a member of an archive or compressed file.
struct ScannedPart {
  std::vector<std::string> member; ///< as in Location; empty for the file itself
  std::uint64_t size = 0;          ///< bytes, decompressed
  std::optional<ElfFacts> elf;
  std::optional<binary::PeHeader> pe; ///< of a program or DLL of Windows
  std::optional<TextFacts> text;
  std::optional<std::string> link_target; ///< a symlink's, as written
};

/// The objects for one machine in a static library, those of device code and microcontrollers excepted.
struct ArchivedObjects {
  std::vector<std::string> archive; ///< as in Location: that library
  binary::ElfKind kind;
  std::string first; ///< name of the first one
  std::uint64_t number = 1;
};

/// One file of a tree. All locations carry `path`.
struct ScannedFile {
  enum class Kind { elf, static_archive, packed, text, symlink, other };
  std::string path; ///< below the scanned tree, or as the file was named
  std::string file; ///< path to open it
  Kind kind = Kind::other;
  std::uint64_t size = 0; ///< bytes, as stored
  /// Path of the same file under another name, visited before with its content. Parts are in both.
  std::optional<std::string> hard_link_of;
  std::vector<ScannedPart> parts;
  std::vector<ArchivedObjects> objects; ///< of static libraries that were opened
  std::vector<FoundNeedle> found;       ///< by member, offset and needle; in symlink targets too
  std::vector<Unseen> unseen;
  fatbin::Holding device_code = {}; ///< of all its fatbins that were opened, including those of its members
};

} // namespace hostpin::leak
