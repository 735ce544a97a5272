// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/binary/bytes.hpp"
#include "toolchains/fatbin/holding.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hostpin::fatbin {

/// The kind of a file, as far as it may hold device code.
enum class CarrierKind { none, object, program, library, archive, fatbin, cubin, ptx, ltoir };

/// `object`, `program`, `shared library`, `archive`, `fatbin`, `cubin`, `PTX`, `LTO-IR`, `file`.
const char* to_string(CarrierKind kind);

/// Adds the device code of an input other than an archive. Only headers are read. After damage, everything
/// before it has been added.
binary::Reading<CarrierKind> read_device_code(const binary::Bytes& input, Holding& holding);

/// Adds the fatbins that are anywhere among a file's bytes, such as in an array that bin2c wrote: a
/// program passes them to the NVIDIA driver itself (cuModuleLoadData).
void read_embedded(const binary::Bytes& file, Holding& holding);

/// A member of an archive that holds fatbins.
struct MemberHolding {
  /// A separate file, or part of one, that a thin archive names, and that may be in the same tree.
  struct Outside {
    binary::InputFile::Identity file;
    std::uint64_t begin = 0; ///< offset in that file
  };

  std::vector<std::string> name; ///< from the outermost archive inwards
  Holding holding;
  std::optional<Outside> outside = std::nullopt; ///< nothing: its bytes are in the archive
};

/// The name of something that could not be read, and the reason.
struct Unread {
  std::string name; ///< `libx.a(x.o)`
  Error error;
};

/// One file and the device code in it.
struct FileInventory {
  std::string path;
  CarrierKind kind = CarrierKind::none;
  std::uint64_t size = 0; ///< of the file
  Holding holding;
  std::vector<MemberHolding> members; ///< of an archive, in its order
  bool whole = true;                  ///< all of it could be read; else missing code may be in the rest
  /// Whether nvprune (11.2 to 12.4) can read all of it: it is an object, or an archive of only objects that
  /// is not thin.
  bool prunable = false;
};

/// Everything that was requested.
struct Inventory {
  std::vector<FileInventory> files; ///< those named, and those below a directory that hold device code
  std::vector<Unread> unread;
  Holding all;              ///< of each file once, whatever its names and the thin archives that name it
  std::size_t distinct = 0; ///< number of files that are summed
  bool tree = false;        ///< a directory was named
};

/// Reads files, and the files below directories. A file that is named twice is listed twice; one with several
/// paths below directories, links included, once; a named file without device code is listed without code.
Inventory inventory(const std::vector<std::string>& paths);

/// Reads one file that is already open.
FileInventory file_inventory(const std::string& path, const binary::InputFile& file,
                             std::vector<Unread>& unread);

} // namespace hostpin::fatbin
