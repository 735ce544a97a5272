// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/binary/refusals.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::binary {

class ByteSource;

/// What a linker and the loader compare before they accept a file.
struct ElfKind {
  bool wide = false;         ///< of the 64-bit class
  std::uint16_t machine = 0; ///< e_machine, such as 62 for x86-64
  bool big = false;          ///< big-endian

  bool operator==(const ElfKind&) const = default;
};

/// The versions that a file needs from one library.
struct VersionNeed {
  std::string library; ///< its soname, such as `libc.so.6`
  std::vector<std::string>
      versions; ///< names such as `GLIBC_2.34`, in the file's order, without the weak ones
};

/// What the dynamic loader would read of a shared library.
struct SharedObject {
  ElfKind kind;
  std::string soname;                           ///< empty if it has none
  std::vector<std::string> version_definitions; ///< names such as `GLIBCXX_3.4.30`, in the file's order
  std::vector<std::string> needed;              ///< sonames of the libraries it loads, in order
  std::vector<VersionNeed> version_needs;
};

/// What the dynamic loader would read of a program or a shared library.
struct Image : SharedObject {
  std::string interpreter;            ///< the loader that a program asks for; empty for most libraries
  std::optional<std::string> rpath;   ///< DT_RPATH unchanged: directories, colons between them
  std::optional<std::string> runpath; ///< DT_RUNPATH likewise; if it exists, DT_RPATH does not count
  /// What else the loader loads, in order: DT_FILTER, DT_AUXILIARY, DT_AUDIT, DT_DEPAUDIT (the last two are
  /// lists with colons).
  std::vector<std::string> loaded_besides;
  bool no_default_libraries =
      false; ///< DF_1_NODEFLIB: neither the loader's cache nor its directories are searched
  std::vector<Refusal> refusals; ///< checks of glibc's loader that it fails; none for most libraries
};

/// Reads a program or a shared library; nothing if it is statically linked, so that nothing has to be loaded.
Result<std::optional<Image>> read_image(std::string_view bytes);
/// The same for bytes that are read on demand.
Result<std::optional<Image>> read_image(const ByteSource& source);

/// Reads an ELF shared object of either class and byte order through its dynamic segment, as the loader does,
/// so that a library without section headers can be read too. Never reads outside `bytes`; for anything but a
/// well-formed shared object the error gives the defect.
Result<SharedObject> read_shared_object(std::string_view bytes);

/// The kind of an ELF file, or of the first ELF member of an archive; nothing if there is none, as in a thin
/// archive or one of LTO objects in another format.
std::optional<ElfKind> elf_kind(std::string_view bytes);

/// Whether the bytes are an archive of objects, thin or not.
bool is_archive(std::string_view bytes);

} // namespace hostpin::binary
