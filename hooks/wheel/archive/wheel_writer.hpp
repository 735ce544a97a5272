// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/wheel/archive/wheel_file.hpp"
#include "toolchains/archive/packed.hpp"
#include "toolchains/archive/record.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hostpin::wheel {

/// A file of a wheel that is written.
struct NewFile {
  std::string name; ///< in the zip
  bool is_executable = false;
  /// As another wheel has it; nothing: `content` is compressed.
  std::optional<PackedData> packed;
  std::string hash; ///< of what is packed, as in RECORD
  binary::Blob content;

  /// Replaces what it contains.
  void set(binary::Blob bytes);
};

/// All files of a wheel that was read with hashes, but for RECORD and signatures of it, in the order of the
/// zip. The error says why one cannot be copied.
Result<std::vector<NewFile>> files_of(const binary::Blob& zip, const WheelFile& wheel);

struct WheelWriting {
  /// zlib's, 0 to 9, of all files; nothing: files that are packed are copied as they are, others get 6.
  std::optional<int> level;
  int level_of_new = 6; ///< likewise, of files that are not packed, if there is no `level`
  unsigned threads = 1;
  /// Of all members, in seconds since the epoch. That of SOURCE_DATE_EPOCH, or of the first day that zip has.
  std::int64_t modified = 315532800;
  std::string scratch = "/tmp"; ///< a directory for temporary files
};

/// Writes a wheel from the offset of an open file on, with a new RECORD in the directory `info`
/// (`name-1.0.dist-info`): in the order of names, with those of `info` last, as the format recommends. For
/// the same files the bytes are the same on every machine. Returns the rows of RECORD. The error names the
/// member.
Result<std::vector<RecordRow>> write_wheel(std::vector<NewFile> files, const std::string& info,
                                           const WheelWriting& how, int descriptor);

} // namespace hostpin::wheel
