// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/wheel/archive/elf_facts.hpp"
#include "hooks/wheel/archive/python_source.hpp"
#include "hooks/wheel/metadata/fields.hpp"
#include "hooks/wheel/metadata/file_name.hpp"
#include "hooks/wheel/metadata/requirement.hpp"
#include "toolchains/archive/record.hpp"
#include "toolchains/archive/zip.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::wheel {

/// A member of a wheel after it was read.
struct Member {
  ZipEntry entry;
  std::string hash; ///< as in RECORD; empty for directories, and if hashes were not wanted
  std::optional<ElfFacts> elf;
  std::string text;                        ///< the content of files in *.dist-info, up to 16 MB
  std::string trouble;                     ///< why an ELF file could not be read; empty if it could
  std::optional<PythonSource> python = {}; ///< of a source that has libraries, or of an __init__.py
};

/// A wheel: what its file name, its metadata and its files are.
struct WheelFile {
  std::string path; ///< as it was named
  std::uint64_t size = 0;
  WheelName name;
  std::vector<Member> members; ///< in the order of the zip
  std::string info;            ///< `name-1.0.dist-info`
  std::vector<Field> metadata, wheel;
  std::vector<Requirement> requirements;
  std::optional<std::vector<RecordRow>> record; ///< nothing if there is no RECORD
  std::string record_error;                     ///< why RECORD cannot be read

  const Member* member(std::string_view member_name) const;
  std::string distribution() const; ///< the normalised name
  bool is_purelib() const;          ///< WHEEL has `Root-Is-Purelib: true`
};

/// Where an installer puts a member, without its directories `.` and empty ones.
struct InstalledPath {
  bool is_in_site = true; ///< below site-packages; else below the prefix of the environment
  std::string path;

  auto operator<=>(const InstalledPath&) const = default;
};
InstalledPath installed_path(const WheelFile& wheel, std::string_view member);

struct WheelReading {
  unsigned threads = 1;
  Depth depth = Depth::all;
  bool hashes = true;
};

/// Limits of what the author of a zip chooses.
struct WheelLimits {
  std::uint64_t members = 1U << 20U;
  /// Decompressed bytes for each byte of the file, if they are more than `small` in all. Deflate reaches 1032
  /// on zeros; device code and libraries reach 20.
  std::uint64_t ratio = 200;
  std::uint64_t small = std::uint64_t{1} << 30U;
  std::uint64_t elf = std::uint64_t{3} << 30U; ///< the largest ELF file, which is held in memory
};

/// Reads each member once, several at a time. The error says why the file is not a wheel, or cannot be
/// installed: it is damaged, has members of the same name, that are installed as the same file, or outside of
/// its directory, expands without end, or has no metadata.
Result<WheelFile> read_wheel(const std::string& path, const WheelReading& how,
                             const WheelLimits& limits = {});

/// The same for a zip that is open, with the file name of `path`.
Result<WheelFile> read_wheel(const binary::Blob& zip, const std::string& path, const WheelReading& how,
                             const WheelLimits& limits = {});

/// Reads METADATA's requirements; those that are damaged or for other systems than Linux are left out.
std::vector<Requirement> requirements_of(const std::vector<Field>& metadata);

} // namespace hostpin::wheel
