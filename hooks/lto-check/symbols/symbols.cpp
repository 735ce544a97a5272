// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/symbols/symbols.hpp"

#include "toolchains/library/elf_bytes.hpp"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Object/ELFObjectFile.h>

namespace hostpin {

namespace {

using llvm::object::ELFObjectFileBase;
using llvm::object::SymbolRef;

template <typename T>
std::optional<T> value_of(llvm::Expected<T> expected) {
  if (expected)
    return std::move(*expected);
  llvm::consumeError(expected.takeError());
  return std::nullopt;
}

struct Kind {
  bool undefined = false, weak = false, common = false;
};

void add(Symbols& symbols, std::string name, Kind kind) {
  if (kind.common)
    symbols.common.push_back(std::move(name));
  else if (!kind.undefined)
    symbols.defined.push_back(std::move(name));
  else if (!kind.weak)
    symbols.undefined.push_back(std::move(name));
}

void move_behind(std::vector<std::string>& from, std::vector<std::string>& to) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

template <typename Range>
bool add_all(Symbols& symbols, Range&& range) {
  for (const SymbolRef& symbol : range) {
    const auto flags = value_of(symbol.getFlags());
    const auto name = value_of(symbol.getName());
    if (!flags || !name)
      return false;
    const bool global = (*flags & (SymbolRef::SF_Global | SymbolRef::SF_Undefined | SymbolRef::SF_Weak)) != 0;
    if (global && !name->empty())
      add(symbols, name->str(),
          {(*flags & SymbolRef::SF_Undefined) != 0, (*flags & SymbolRef::SF_Weak) != 0,
           (*flags & SymbolRef::SF_Common) != 0});
  }
  return true;
}

std::optional<Symbols> symbols_of_elf(llvm::MemoryBufferRef buffer) {
  auto binary = value_of(llvm::object::ObjectFile::createELFObjectFile(buffer));
  if (!binary)
    return std::nullopt;
  const auto* const object = llvm::cast<ELFObjectFileBase>(binary->get());
  Symbols symbols;
  if (object->getEType() == llvm::ELF::ET_DYN)
    return add_all(symbols, object->getDynamicSymbolIterators()) ? std::optional(std::move(symbols))
                                                                 : std::nullopt;
  if (!add_all(symbols, object->symbols()))
    return std::nullopt;
  for (const llvm::object::SectionRef& section : object->sections()) {
    const auto name = value_of(section.getName());
    if (!name || !name->starts_with(".gnu.lto_.symtab"))
      continue;
    const auto content = value_of(section.getContents());
    auto table = content ? symbols_of_gcc_table({content->data(), content->size()}) : std::nullopt;
    if (!table)
      return std::nullopt;
    move_behind(table->defined, symbols.defined);
    move_behind(table->common, symbols.common);
    move_behind(table->undefined, symbols.undefined);
    symbols.bytecode = true;
  }
  // Every object with GCC's bytecode has these; no linker sees them where its plugin takes it.
  if (symbols.bytecode)
    std::erase_if(symbols.common,
                  [](const std::string& name) { return name == "__gnu_lto_slim" || name == "__gnu_lto_v1"; });
  return symbols;
}

std::optional<Symbols> symbols_of_bitcode(llvm::MemoryBufferRef buffer) {
  const auto contents = value_of(llvm::getBitcodeFileContents(buffer));
  if (!contents || contents->Symtab.empty())
    return std::nullopt;
  const auto text = [](llvm::StringRef part) { return std::string_view(part.data(), part.size()); };
  return symbols_of_bitcode_table(text(contents->Symtab), text(contents->StrtabForSymtab));
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

std::optional<Symbols> symbols_of(std::string_view bytes) {
  const llvm::MemoryBufferRef buffer(llvm::StringRef(bytes.data(), bytes.size()), "input");
  switch (llvm::identify_magic(buffer.getBuffer())) {
  case llvm::file_magic::elf_relocatable:
  case llvm::file_magic::elf_shared_object:
    return symbols_of_elf(buffer);
  case llvm::file_magic::bitcode:
    return symbols_of_bitcode(buffer);
  default:
    return std::nullopt;
  }
}

std::optional<Symbols> symbols_of_gcc_table(std::string_view table) {
  enum Kind { defined, weak_defined, undefined, weak_undefined, common, last = common };
  constexpr std::size_t rest = 1 + 1 + 8 + 4; // kind, visibility, size, slot
  Symbols symbols;
  symbols.bytecode = true;
  while (!table.empty()) {
    const auto name = string_from(table);
    const auto comdat = name ? string_from(table) : std::nullopt;
    if (!comdat || table.size() < rest || table[0] < 0 || table[0] > last)
      return std::nullopt;
    const char kind = table[0];
    table.remove_prefix(rest);
    add(symbols, std::string(*name),
        {kind == undefined || kind == weak_undefined, kind == weak_undefined, kind == common});
  }
  return symbols;
}

std::optional<Symbols> symbols_of_bitcode_table(std::string_view table, std::string_view strings) {
  constexpr std::uint64_t symbols_at = 28; // behind version, producer, modules and comdats
  constexpr std::uint64_t symbol_size = 24;
  constexpr std::uint64_t flags_at = 20;
  constexpr std::uint64_t flag_undefined = 1U << 3U;
  constexpr std::uint64_t flag_weak = 1U << 4U;
  constexpr std::uint64_t flag_common = 1U << 5U;
  constexpr std::uint64_t flag_global = 1U << 10U;
  constexpr std::uint64_t flag_format_specific = 1U << 11U;
  const ElfBytes header(table, false, true);
  const ElfBytes names(strings, false, true);
  const auto first = header.word(symbols_at);
  const auto count = header.word(symbols_at + 4);
  if (!first || !count || *count > table.size() / symbol_size)
    return std::nullopt;
  Symbols symbols;
  symbols.bytecode = true;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const std::uint64_t at = *first + i * symbol_size;
    const auto offset = header.word(at);
    const auto size = header.word(at + 4);
    const auto flags = header.word(at + flags_at);
    const auto name = offset && size && flags ? names.slice(*offset, *size) : std::nullopt;
    if (!name)
      return std::nullopt;
    if ((*flags & flag_global) != 0 && (*flags & flag_format_specific) == 0)
      add(symbols, std::string(*name),
          {(*flags & flag_undefined) != 0, (*flags & flag_weak) != 0, (*flags & flag_common) != 0});
  }
  return symbols;
}

} // namespace hostpin
