// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/symbols/symbols.hpp"

#include "hooks/lto-check/symbols/expected.hpp"
#include "toolchains/binary/blob.hpp"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Object/ELFObjectFile.h>

namespace hostpin::lto {

namespace {

using llvm::object::ELFObjectFileBase;
using llvm::object::SymbolRef;

struct Facts {
  bool undefined = false, weak = false, common = false;
};

void pass_on(std::string_view name, Facts facts, bool bytecode, const SymbolVisit& visit) {
  if (facts.common)
    visit({name, Symbol::Kind::common, bytecode});
  else if (!facts.undefined)
    visit({name, Symbol::Kind::defined, bytecode});
  else if (!facts.weak)
    visit({name, Symbol::Kind::undefined, bytecode});
}

template <typename Range>
bool pass_on_all(Range&& range, bool bytecode, const SymbolVisit& visit) {
  for (const SymbolRef& symbol : range) {
    const auto flags = value_of(symbol.getFlags());
    const auto name = value_of(symbol.getName());
    if (!flags || !name)
      return false;
    const bool global = (*flags & (SymbolRef::SF_Global | SymbolRef::SF_Undefined | SymbolRef::SF_Weak)) != 0;
    const bool common = (*flags & SymbolRef::SF_Common) != 0;
    // Every object with GCC's bytecode has these; a linker whose plugin takes the object does not see them.
    const bool mark = bytecode && common && (*name == "__gnu_lto_slim" || *name == "__gnu_lto_v1");
    if (global && !name->empty() && !mark)
      pass_on({name->data(), name->size()},
              {(*flags & SymbolRef::SF_Undefined) != 0, (*flags & SymbolRef::SF_Weak) != 0, common}, bytecode,
              visit);
  }
  return true;
}

/// GCC's own symbol tables in an object; false if one cannot be read.
template <typename Each>
bool each_gcc_table(const ELFObjectFileBase& object, const Each& each) {
  for (const llvm::object::SectionRef& section : object.sections()) {
    const auto name = value_of(section.getName());
    if (!name || !name->starts_with(".gnu.lto_.symtab"))
      continue;
    const auto content = value_of(section.getContents());
    if (!content || !each(std::string_view(content->data(), content->size())))
      return false;
  }
  return true;
}

bool each_symbol_of_elf(llvm::MemoryBufferRef buffer, const SymbolVisit& visit) {
  auto binary = value_of(llvm::object::ObjectFile::createELFObjectFile(buffer));
  if (!binary)
    return false;
  const auto& object = *llvm::cast<ELFObjectFileBase>(binary->get());
  if (object.getEType() == llvm::ELF::ET_DYN) {
    return pass_on_all(object.getDynamicSymbolIterators(), false, visit);
  }
  bool bytecode = false;
  const bool fine = each_gcc_table(object, [&](std::string_view table) {
    bytecode = true;
    return each_symbol_of_gcc_table(table, visit);
  });
  return fine && pass_on_all(object.symbols(), bytecode, visit);
}

bool each_symbol_of_bitcode(llvm::MemoryBufferRef buffer, const SymbolVisit& visit) {
  const auto contents = value_of(llvm::getBitcodeFileContents(buffer));
  if (!contents || contents->Symtab.empty())
    return false;
  const auto text = [](llvm::StringRef part) { return std::string_view(part.data(), part.size()); };
  return each_symbol_of_bitcode_table(text(contents->Symtab), text(contents->StrtabForSymtab), visit);
}

std::optional<std::string_view> string_from(std::string_view& table) {
  const std::size_t end = table.find('\0');
  if (end == std::string_view::npos)
    return std::nullopt;
  const std::string_view text = table.substr(0, end);
  table.remove_prefix(end + 1);
  return text;
}

} // namespace

bool each_symbol(std::string_view bytes, const SymbolVisit& visit) {
  const llvm::MemoryBufferRef buffer(llvm::StringRef(bytes.data(), bytes.size()), "input");
  switch (llvm::identify_magic(buffer.getBuffer())) {
  case llvm::file_magic::elf_relocatable:
  case llvm::file_magic::elf_shared_object:
    return each_symbol_of_elf(buffer, visit);
  case llvm::file_magic::bitcode:
    return each_symbol_of_bitcode(buffer, visit);
  default:
    return false;
  }
}

bool each_symbol_of_gcc_table(std::string_view table, const SymbolVisit& visit) {
  enum Kind { defined, weak_defined, undefined, weak_undefined, common, last = common };
  constexpr std::size_t rest = 1 + 1 + 8 + 4; // kind, visibility, size, slot
  while (!table.empty()) {
    const auto name = string_from(table);
    const auto comdat = name ? string_from(table) : std::nullopt;
    if (!comdat || table.size() < rest || static_cast<unsigned char>(table[0]) > last)
      return false;
    const char kind = table[0];
    table.remove_prefix(rest);
    pass_on(*name, {kind == undefined || kind == weak_undefined, kind == weak_undefined, kind == common},
            true, visit);
  }
  return true;
}

bool each_symbol_of_bitcode_table(std::string_view table, std::string_view strings,
                                  const SymbolVisit& visit) {
  constexpr std::uint64_t symbols_at = 28; // after version, producer, modules and comdats
  constexpr std::uint64_t symbol_size = 24;
  constexpr std::uint64_t flags_at = 20;
  constexpr std::uint64_t flag_undefined = 1U << 3U;
  constexpr std::uint64_t flag_weak = 1U << 4U;
  constexpr std::uint64_t flag_common = 1U << 5U;
  constexpr std::uint64_t flag_global = 1U << 10U;
  constexpr std::uint64_t flag_format_specific = 1U << 11U;
  const binary::ElfBytes header(table, false, true);
  const binary::ElfBytes names(strings, false, true);
  const auto first = header.word(symbols_at);
  const auto count = header.word(symbols_at + 4);
  if (!first || !count || *count > table.size() / symbol_size)
    return false;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const std::uint64_t at = *first + i * symbol_size;
    const auto offset = header.word(at);
    const auto size = header.word(at + 4);
    const auto flags = header.word(at + flags_at);
    const auto name = offset && size && flags ? names.slice(*offset, *size) : std::nullopt;
    if (!name)
      return false;
    if ((*flags & flag_global) != 0 && (*flags & flag_format_specific) == 0)
      pass_on(*name, {(*flags & flag_undefined) != 0, (*flags & flag_weak) != 0, (*flags & flag_common) != 0},
              true, visit);
  }
  return true;
}

} // namespace hostpin::lto
