// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/kind.hpp"

#include "toolchains/binary/fatbin.hpp"
#include "toolchains/binary/inputs.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace hostpin::binary {

namespace {

using namespace std::string_view_literals;

struct Row {
  std::string_view magic;
  InputKind kind;
};

// An archive that is truncated within its magic is not an archive.
constexpr auto rows = std::to_array<Row>({{"\x7f"
                                           "ELF"sv,
                                           InputKind::object},
                                          {"BC\xC0\xDE"sv, InputKind::bitcode},
                                          {"\xDE\xC0\x17\x0B"sv, InputKind::bitcode},
                                          {"\x50\xED\x55\xBA"sv, InputKind::fatbin},
                                          {"\xED\x43\x4E\x7F"sv, InputKind::ltoir},
                                          {"!<arch>\n"sv, InputKind::other},
                                          {"!<thin>\n"sv, InputKind::other}});

struct RoleRow {
  std::string_view text;
  bool prefix; ///< else the whole name
  SectionRole role;
};

// The first match applies. GCC: lto-section-names.h, lto_get_section_name (.gnu.debuglto_ is debug
// information, and .gnu.offload_lto_ is for another compiler). LLVM: linkers do not read the .llvmbc of
// -fembed-bitcode.
constexpr auto role_rows = std::to_array<RoleRow>({
    {".gnu.lto_.lto.", true, SectionRole::gcc_version},
    {".gnu.lto_.decls.", true, SectionRole::gcc_declarations},
    {".gnu.lto_.asm.", true, SectionRole::gcc_assembler},
    {".gnu.lto_.symtab.", true, SectionRole::gcc_symbols},
    {".gnu.lto_", true, SectionRole::gcc_other},
    {".llvm.lto", false, SectionRole::llvm_module},
    {"__nv_relfatbin", false, SectionRole::device},
    {".nv_fatbin", false, SectionRole::device},
    {".comment", false, SectionRole::comment},
});

constexpr std::uint32_t llvm_lto = 0x6fff4c0c; ///< from LLVM 19 on; before, only the name shows it

// elf.h: null, symtab, strtab, rela, nobits, rel, dynsym, group, symtab_shndx
constexpr auto without_code = std::to_array<std::uint32_t>({0, 2, 3, 4, 8, 9, 11, 17, 18});

constexpr std::uint32_t without_code_set = [] {
  std::uint32_t set = 0;
  for (const std::uint32_t type : without_code)
    set |= 1U << type;
  return set;
}();

} // namespace

Reading<InputKind> input_kind(const Bytes& input) {
  const std::string_view head = input.up_to(0, 8);
  if (head.empty()) {
    if (input.size() != 0)
      return damaged("its first bytes cannot be read");
    if (input.whole_file())
      return damaged("it is empty");
    return InputKind::other; // no linker rejects an empty member
  }
  for (const Row& row : rows) {
    if (head.starts_with(row.magic))
      return row.kind;
    if (row.magic.starts_with(head))
      return damaged("it ends after its first bytes");
  }
  return InputKind::other;
}

SectionRole role(const ObjectSection& section, std::string_view name) {
  if (section.type == llvm_lto)
    return SectionRole::llvm_module;
  const auto* const row = std::find_if(role_rows.begin(), role_rows.end(), [&](const RoleRow& candidate) {
    const std::size_t length = candidate.text.size();
    // Most names already differ in that byte, and this runs for every section of every object.
    return name.size() >= length && name[length - 1] == candidate.text[length - 1] &&
           name.starts_with(candidate.text) &&
           (candidate.prefix || name.size() == length || name[length] == '\0');
  });
  return row == role_rows.end() ? SectionRole::none : row->role;
}

bool may_hold_code(const ObjectSection& section) {
  return section.type >= 32 || (without_code_set >> section.type & 1U) == 0;
}

namespace {

/// True for damage as well, so that the caller reports it.
bool fatbins_hold_ltoir(const Bytes& bytes) {
  bool found = false;
  const auto read = each_fatbin(bytes, [&](const std::vector<EmbeddedCode>& fatbin) -> Reading<bool> {
    found = found || std::any_of(fatbin.begin(), fatbin.end(),
                                 [](const EmbeddedCode& entry) { return entry.code == DeviceCode::ltoir; });
    return !found;
  });
  return found || !read;
}

bool section_holds_lto(const SectionTable& sections, const ObjectSection& section) {
  const auto name = sections.name_bytes(section);
  if (!name)
    return true;
  const auto content = sections.content(section);
  switch (role(section, *name)) {
  case SectionRole::none:
  case SectionRole::comment:
    return false;
  case SectionRole::device:
    return !content || fatbins_hold_ltoir(*content);
  case SectionRole::llvm_module:
    return !content || content->size() > 1;
  case SectionRole::gcc_version:
  case SectionRole::gcc_declarations:
  case SectionRole::gcc_assembler:
  case SectionRole::gcc_symbols:
  case SectionRole::gcc_other:
    break;
  }
  return true;
}

bool object_holds_lto(const Bytes& bytes) {
  const auto sections = SectionTable::open(bytes);
  if (!sections || !*sections)
    return !sections;
  const auto none = (*sections)->each([&](const ObjectSection& section) {
    return !may_hold_code(section) || !section_holds_lto(**sections, section);
  });
  return !none || !*none;
}

} // namespace

bool may_hold_lto(const Bytes& input) {
  const auto kind = input_kind(input);
  if (!kind)
    return true;
  switch (*kind) {
  case InputKind::object:
    return object_holds_lto(input);
  case InputKind::fatbin:
    return fatbins_hold_ltoir(input);
  case InputKind::bitcode:
  case InputKind::ltoir:
    return true;
  case InputKind::other:
    break;
  }
  return false;
}

bool may_hold_lto(const std::string& path) {
  bool found = false;
  each_input(path, [&](const InputName&, const Result<Bytes>& bytes) {
    found = !bytes || may_hold_lto(*bytes);
    return !found;
  });
  return found;
}

} // namespace hostpin::binary
