// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <vector>

namespace hostpin::binary {

class ElfBytes;
struct VersionNeed;

/// A check of glibc's dynamic loader that a file fails, in the loader's order.
enum class Refusal {
  // the ELF header: open_verify in elf/dl-load.c
  ident_version,
  os_abi,
  abi_version,
  ident_padding,
  header_version,
  header_size,
  headers_outside,
  // the segments: _dl_map_object_from_fd
  misaligned_segment,
  small_alignment,
  misplaced_segment,
  no_segments,
  fixed_address,
  no_dynamic_section,
  unordered_segments,
  segment_outside,
  // the dynamic section: elf_get_dynamic_info, _dl_setup_hash, _dl_check_map_versions
  dynamic_section_outside,
  read_only_dynamic_section,
  protected_dynamic_section,
  no_strings,
  missing_table,
  relocation_kind,
  relocation_size,
  packed_relocation_size,
  table_outside,
  hash_table,
  not_for_opening,
  program,
  executable_stack,
  needs_version,
  no_version_symbols,
  packed_relocations,
  // relocation: elf/dl-reloc.c
  relro_outside,
  static_tls,
};

/// What is known of a check.
struct LoaderCheck {
  Refusal refusal;
  std::string_view message;   ///< glibc's; or how the process ends
  std::string_view described; ///< follows the name of the file: `requests an executable stack`
  int since = 0;              ///< the first glibc that refuses such a file, 41 for 2.41; 0: all
  int until = 0;              ///< the last one; 0: all
  /// Only a library that a running process opens (dlopen), or that such a library needs, is refused.
  bool only_opened = false;
};
const LoaderCheck& check_of(Refusal refusal);

/// What glibc's loader refuses a program or shared library for by its ELF header, program headers and dynamic
/// section, each once and in the order of the enumeration; nothing for a file of a machine that glibc has no
/// loader for. `needs`: its version needs. Reads some 16 bytes besides the two tables.
std::vector<Refusal> refusals(const ElfBytes& file, const std::vector<VersionNeed>& needs);

} // namespace hostpin::binary
