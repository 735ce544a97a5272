// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/symbols/symbols.hpp"

#include "hooks/lto-check/symbols/expected.hpp"
#include "toolchains/binary/blob.hpp"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Object/ELFObjectFile.h>

namespace hostpin {

namespace {

using llvm::object::ELFObjectFileBase;
using llvm::object::SymbolRef;

struct Facts {
  bool undefined = false, weak = false, common = false;
};

/// Passes symbols on, and counts table rows.
class Visitor {
public:
  Visitor(const SymbolVisit& visit, const std::function<void()>& pause, bool bytecode)
      : visit_(visit), pause_(pause), bytecode_(bytecode) {}

  void add(std::string_view name, Facts facts) {
    if (facts.common)
      visit_({name, Symbol::Kind::common, bytecode_});
    else if (!facts.undefined)
      visit_({name, Symbol::Kind::defined, bytecode_});
    else if (!facts.weak)
      visit_({name, Symbol::Kind::undefined, bytecode_});
  }

  /// To be called for each row of a table.
  void count() {
    constexpr std::size_t rows_at_once = 8192;
    if (++rows_ % rows_at_once == 0 && pause_)
      pause_();
  }

private:
  const SymbolVisit& visit_;
  const std::function<void()>& pause_;
  bool bytecode_;
  std::size_t rows_ = 0;
};

template <typename Range>
bool add_all(Range&& range, Visitor& visitor, bool bytecode) {
  for (const SymbolRef& symbol : range) {
    visitor.count();
    const auto flags = value_of(symbol.getFlags());
    const auto name = value_of(symbol.getName());
    if (!flags || !name)
      return false;
    const bool global = (*flags & (SymbolRef::SF_Global | SymbolRef::SF_Undefined | SymbolRef::SF_Weak)) != 0;
    const bool common = (*flags & SymbolRef::SF_Common) != 0;
    // Every object with GCC's bytecode has these; a linker whose plugin takes the object does not see them.
    const bool mark = bytecode && common && (*name == "__gnu_lto_slim" || *name == "__gnu_lto_v1");
    if (global && !name->empty() && !mark)
      visitor.add({name->data(), name->size()},
                  {(*flags & SymbolRef::SF_Undefined) != 0, (*flags & SymbolRef::SF_Weak) != 0, common});
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

bool each_symbol_of_elf(llvm::MemoryBufferRef buffer, const SymbolVisit& visit,
                        const std::function<void()>& pause) {
  auto binary = value_of(llvm::object::ObjectFile::createELFObjectFile(buffer));
  if (!binary)
    return false;
  const auto& object = *llvm::cast<ELFObjectFileBase>(binary->get());
  if (object.getEType() == llvm::ELF::ET_DYN) {
    Visitor visitor(visit, pause, false);
    return add_all(object.getDynamicSymbolIterators(), visitor, false);
  }
  bool bytecode = false;
  const bool fine = each_gcc_table(object, [&](std::string_view table) {
    bytecode = true;
    return each_symbol_of_gcc_table(table, visit, pause);
  });
  Visitor visitor(visit, pause, bytecode);
  return fine && add_all(object.symbols(), visitor, bytecode);
}

bool each_symbol_of_bitcode(llvm::MemoryBufferRef buffer, const SymbolVisit& visit,
                            const std::function<void()>& pause) {
  const auto contents = value_of(llvm::getBitcodeFileContents(buffer));
  if (!contents || contents->Symtab.empty())
    return false;
  const auto text = [](llvm::StringRef part) { return std::string_view(part.data(), part.size()); };
  return each_symbol_of_bitcode_table(text(contents->Symtab), text(contents->StrtabForSymtab), visit, pause);
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

bool each_symbol(std::string_view bytes, const SymbolVisit& visit, const std::function<void()>& pause) {
  const llvm::MemoryBufferRef buffer(llvm::StringRef(bytes.data(), bytes.size()), "input");
  switch (llvm::identify_magic(buffer.getBuffer())) {
  case llvm::file_magic::elf_relocatable:
  case llvm::file_magic::elf_shared_object:
    return each_symbol_of_elf(buffer, visit, pause);
  case llvm::file_magic::bitcode:
    return each_symbol_of_bitcode(buffer, visit, pause);
  default:
    return false;
  }
}

bool each_symbol_of_gcc_table(std::string_view table, const SymbolVisit& visit,
                              const std::function<void()>& pause) {
  enum Kind { defined, weak_defined, undefined, weak_undefined, common, last = common };
  constexpr std::size_t rest = 1 + 1 + 8 + 4; // kind, visibility, size, slot
  Visitor visitor(visit, pause, true);
  while (!table.empty()) {
    const auto name = string_from(table);
    const auto comdat = name ? string_from(table) : std::nullopt;
    if (!comdat || table.size() < rest || table[0] < 0 || table[0] > last)
      return false;
    const char kind = table[0];
    table.remove_prefix(rest);
    visitor.add(*name, {kind == undefined || kind == weak_undefined, kind == weak_undefined, kind == common});
    visitor.count();
  }
  return true;
}

bool each_symbol_of_bitcode_table(std::string_view table, std::string_view strings, const SymbolVisit& visit,
                                  const std::function<void()>& pause) {
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
  Visitor visitor(visit, pause, true);
  for (std::uint64_t i = 0; i < *count; ++i) {
    visitor.count();
    const std::uint64_t at = *first + i * symbol_size;
    const auto offset = header.word(at);
    const auto size = header.word(at + 4);
    const auto flags = header.word(at + flags_at);
    const auto name = offset && size && flags ? names.slice(*offset, *size) : std::nullopt;
    if (!name)
      return false;
    if ((*flags & flag_global) != 0 && (*flags & flag_format_specific) == 0)
      visitor.add(*name,
                  {(*flags & flag_undefined) != 0, (*flags & flag_weak) != 0, (*flags & flag_common) != 0});
  }
  return true;
}

} // namespace hostpin
