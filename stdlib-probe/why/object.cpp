// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/object.hpp"

#include "stdlib-probe/why/object_nodes.hpp"

#include <cstdint>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/DebugInfo/DIContext.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/Archive.h>
#include <llvm/Object/ELFObjectFile.h>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace hostpin::probe {

namespace {

using llvm::object::ELFObjectFileBase;
using llvm::object::ELFSectionRef;
using llvm::object::ELFSymbolRef;
using llvm::object::SectionRef;
using llvm::object::SymbolRef;

/// In an object every section begins at address 0, which is ambiguous in debug information; placed one after
/// the other, their addresses are distinct.
class Placed final : public llvm::LoadedObjectInfoHelper<Placed> {
public:
  explicit Placed(const ELFObjectFileBase& object) {
    std::uint64_t next = std::uint64_t{1} << 20;
    for (const SectionRef& section : object.sections()) {
      constexpr std::uint64_t step = 4096;
      // Debug information also refers to its own sections by relocations, and those are offsets.
      if ((ELFSectionRef(section).getFlags() & llvm::ELF::SHF_ALLOC) == 0)
        continue;
      addresses_[section.getIndex()] = next;
      next += (section.getSize() / step + 2) * step;
    }
  }
  std::uint64_t getSectionLoadAddress(const SectionRef& section) const override {
    return address(section.getIndex());
  }
  std::uint64_t address(std::uint64_t index) const {
    const auto found = addresses_.find(index);
    return found == addresses_.end() ? 0 : found->second;
  }

private:
  std::map<std::uint64_t, std::uint64_t> addresses_;
};

/// Unlike DWARFContext::getInliningInfoForAddress this searches every unit: .debug_aranges, which locates
/// units, is read without relocations.
std::vector<Frame> source_frames(llvm::DWARFContext& debug, std::uint64_t address, std::uint64_t section) {
  constexpr auto path = llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath;
  std::vector<Frame> frames;
  for (const auto& unit : debug.compile_units()) {
    const auto* const table = debug.getLineTableForUnit(unit.get());
    llvm::SmallVector<llvm::DWARFDie, 4> chain;
    unit->getInlinedChainForAddress(address, chain);
    Frame place;
    llvm::DILineInfo line;
    if (table != nullptr &&
        table->getFileLineInfoForAddress({address, section}, unit->getCompilationDir(), path, line) &&
        line.Line != 0) // compiler-generated code has line 0
      place = {"", line.FileName, line.Line, line.Column};
    // Each inlined function has the location of its call.
    for (const llvm::DWARFDie& function : chain) {
      const char* const name = function.getSubroutineName(llvm::DINameKind::LinkageName);
      place.function = name == nullptr ? "" : name;
      frames.push_back(place);
      std::uint32_t file = 0;
      std::uint32_t discriminator = 0;
      place = {};
      function.getCallerFrame(file, place.line, place.column, discriminator);
      // Files are numbered from 0 since DWARF 5, where 0 is the source for Clang, and from 1 before.
      if (table == nullptr || place.line == 0 || (file == 0 && unit->getVersion() < 5) ||
          !table->getFileNameByIndex(file, unit->getCompilationDir(), path, place.file))
        place = {};
    }
    if (chain.empty() && place.line != 0)
      frames.push_back(place);
  }
  return frames;
}

/// The source of each location in a relocatable object, from its debug information.
class DebugLines {
public:
  /// The object must outlive it. Damaged debug information is skipped.
  explicit DebugLines(const ELFObjectFileBase& object) : placed_(object) {
    const auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
    debug_ = llvm::DWARFContext::create(object, llvm::DWARFContext::ProcessDebugRelocations::Process,
                                        &placed_, "", ignore, ignore);
  }
  DebugLines(const DebugLines&) = delete;
  DebugLines& operator=(const DebugLines&) = delete;

  /// Innermost function first; empty if nothing is known.
  std::vector<Frame> at(std::uint64_t section, std::uint64_t offset) const {
    return source_frames(*debug_, placed_.address(section) + offset, section);
  }

private:
  Placed placed_;
  std::unique_ptr<llvm::DWARFContext> debug_;
};

std::string reason(llvm::Error error) {
  return llvm::toString(std::move(error));
}

/// What must be added to a PC-relative relocation's addend: the size of the field on x86.
std::int64_t shortfall(std::uint16_t machine, std::uint64_t type) {
  using namespace llvm::ELF;
  if (machine == EM_X86_64)
    return type == R_X86_64_PC32 || type == R_X86_64_PLT32 || type == R_X86_64_GOTPCREL ||
                   type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX
               ? 4
               : 0;
  return machine == EM_386 && (type == R_386_PC32 || type == R_386_PLT32) ? 4 : 0;
}

} // namespace

struct ObjectGraph::State {
  llvm::object::OwningBinary<llvm::object::ObjectFile> file;
  const ELFObjectFileBase* object = nullptr;
  std::optional<DebugLines> lines;
  std::vector<Undefined> undefined;
  ObjectNodes nodes;
  std::map<std::uint64_t, std::size_t> of_symbol; ///< node by the symbol's index in its table

  llvm::Error read_symbols();
  llvm::Error read_places();
  llvm::Error read_references();
  llvm::Error read_unwind(const ELFSectionRef& frames);

  struct Location {
    std::uint64_t section = 0;
    std::uint64_t offset = 0;
  };
  /// The location of a local target that is given as an offset from a section or a label.
  std::optional<Location> local_target(const llvm::object::RelocationRef& relocation) const;
  std::optional<std::size_t> target_of(const llvm::object::RelocationRef& relocation);
  static bool matters(const SectionRef& section);
};

llvm::Error ObjectGraph::State::read_symbols() {
  for (const ELFSymbolRef symbol : object->symbols()) {
    const std::uint64_t index = symbol.getRawDataRefImpl().d.b;
    auto flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    auto name = symbol.getName();
    if (!name)
      return name.takeError();
    if ((*flags & SymbolRef::SF_Undefined) != 0) {
      if (name->empty())
        continue;
      const std::size_t node = nodes.add_undefined(name->str());
      of_symbol[index] = node;
      undefined.push_back({name->str(), node});
      continue;
    }
    const std::uint8_t type = symbol.getELFType();
    auto section = symbol.getSection();
    if (!section)
      return section.takeError();
    if (*section == object->section_end() || type == llvm::ELF::STT_SECTION || type == llvm::ELF::STT_FILE)
      continue;
    const std::uint64_t size = symbol.getSize();
    auto value = symbol.getValue();
    if (!value)
      return value.takeError();
    if (size == 0)
      continue;
    of_symbol[index] = nodes.add_symbol(name->str(), (*section)->getIndex(), *value, size);
  }
  nodes.end_symbols();
  return llvm::Error::success();
}

std::optional<ObjectGraph::State::Location>
ObjectGraph::State::local_target(const llvm::object::RelocationRef& relocation) const {
  const auto symbol = relocation.getSymbol();
  auto section = symbol->getSection();
  auto value = symbol->getValue();
  if (!section || !value || *section == object->section_end()) {
    llvm::consumeError(section.takeError());
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  std::int64_t addend = 0;
  if (auto stated = llvm::object::ELFRelocationRef(relocation).getAddend())
    addend = *stated;
  else
    llvm::consumeError(stated.takeError());
  return Location{
      (*section)->getIndex(),
      *value + static_cast<std::uint64_t>(addend + shortfall(object->getEMachine(), relocation.getType()))};
}

std::optional<std::size_t> ObjectGraph::State::target_of(const llvm::object::RelocationRef& relocation) {
  const auto symbol = relocation.getSymbol();
  if (symbol == object->symbol_end())
    return std::nullopt;
  const auto known = of_symbol.find(symbol->getRawDataRefImpl().d.b);
  if (known != of_symbol.end())
    return known->second;
  const auto place = local_target(relocation);
  return place ? std::optional(nodes.at(place->section, place->offset)) : std::nullopt;
}

/// Splits bytes without symbols, such as constants and tables of a section, at each location that is referred
/// to, so that each constant has its own references.
llvm::Error ObjectGraph::State::read_places() {
  for (const SectionRef& holder : object->sections()) {
    auto relocated = holder.getRelocatedSection();
    if (!relocated)
      return relocated.takeError();
    if (*relocated == object->section_end() || !matters(**relocated))
      continue;
    for (const llvm::object::RelocationRef& relocation : holder.relocations()) {
      const auto symbol = relocation.getSymbol();
      if (symbol == object->symbol_end() || of_symbol.contains(symbol->getRawDataRefImpl().d.b))
        continue;
      if (const auto place = local_target(relocation);
          place && !nodes.is_in_symbol(place->section, place->offset))
        nodes.part(place->section, place->offset);
    }
  }
  return llvm::Error::success();
}

bool ObjectGraph::State::matters(const SectionRef& section) {
  return (ELFSectionRef(section).getFlags() & llvm::ELF::SHF_ALLOC) != 0;
}

llvm::Error ObjectGraph::State::read_unwind(const ELFSectionRef& frames) {
  auto content = frames.getContents();
  if (!content)
    return content.takeError();
  std::vector<UnwindRelocation> relocations;
  for (const SectionRef& holder : object->sections()) {
    auto relocated = holder.getRelocatedSection();
    if (!relocated)
      return relocated.takeError();
    if (*relocated == object->section_end() || **relocated != frames)
      continue;
    for (const llvm::object::RelocationRef& relocation : holder.relocations()) {
      const auto symbol = relocation.getSymbol();
      if (symbol == object->symbol_end())
        continue;
      const auto target = target_of(relocation);
      if (!target)
        continue;
      UnwindRelocation entry;
      entry.at = relocation.getOffset();
      entry.target = *target;
      auto section = symbol->getSection();
      if (section && *section != object->section_end())
        entry.section = (*section)->getIndex();
      else if (!section)
        llvm::consumeError(section.takeError());
      auto value = symbol->getValue();
      auto addend = llvm::object::ELFRelocationRef(relocation).getAddend();
      if (value && addend)
        entry.offset = *value + static_cast<std::uint64_t>(*addend);
      else {
        llvm::consumeError(value.takeError());
        llvm::consumeError(addend.takeError());
      }
      relocations.push_back(entry);
    }
  }
  for (const UnwindEntry& entry : unwind_entries(*content, object->isLittleEndian(), relocations)) {
    const std::size_t function = nodes.at(entry.function_section, entry.function_offset);
    const Reference from{function, entry.function_section, entry.function_offset};
    for (const std::size_t target : entry.personality)
      nodes.add_reference(target, from);
    if (entry.has_table)
      nodes.add_table(entry.table_section, entry.table_offset, function);
  }
  return llvm::Error::success();
}

llvm::Error ObjectGraph::State::read_references() {
  for (const SectionRef& section : object->sections()) {
    auto name = section.getName();
    if (!name)
      return name.takeError();
    if (*name == ".eh_frame")
      if (llvm::Error error = read_unwind(section))
        return error;
  }
  nodes.end_tables();
  for (const SectionRef& holder : object->sections()) {
    auto relocated = holder.getRelocatedSection();
    if (!relocated)
      return relocated.takeError();
    if (*relocated == object->section_end() || !matters(**relocated))
      continue;
    auto name = (*relocated)->getName();
    if (!name)
      return name.takeError();
    if (*name == ".eh_frame")
      continue;
    const std::uint64_t section = (*relocated)->getIndex();
    for (const llvm::object::RelocationRef& relocation : holder.relocations())
      if (const auto target = target_of(relocation)) {
        const std::size_t from = nodes.at(section, relocation.getOffset());
        nodes.add_reference(*target, {from, section, relocation.getOffset()});
      }
  }
  return llvm::Error::success();
}

ObjectGraph::ObjectGraph(std::unique_ptr<State> state) : state_(std::move(state)) {}
ObjectGraph::ObjectGraph(ObjectGraph&&) noexcept = default;
ObjectGraph& ObjectGraph::operator=(ObjectGraph&&) noexcept = default;
ObjectGraph::~ObjectGraph() = default;

Result<ObjectGraph> ObjectGraph::read(const std::string& path) {
  auto file = llvm::object::ObjectFile::createObjectFile(path);
  if (!file)
    return failure(path + " cannot be read as an object: " + reason(file.takeError()));
  auto state = std::make_unique<State>();
  state->file = std::move(*file);
  return of(std::move(state), path);
}

Result<ObjectGraph> ObjectGraph::of(std::unique_ptr<State> state, const std::string& name) {
  state->object = llvm::dyn_cast<ELFObjectFileBase>(state->file.getBinary());
  if (state->object == nullptr || state->object->getEType() != llvm::ELF::ET_REL)
    return failure(name + " is not a relocatable ELF object");
  if (llvm::Error error = state->read_symbols())
    return failure(name + " is damaged: " + reason(std::move(error)));
  if (llvm::Error error = state->read_places())
    return failure(name + " is damaged: " + reason(std::move(error)));
  if (llvm::Error error = state->read_references())
    return failure(name + " is damaged: " + reason(std::move(error)));
  state->lines.emplace(*state->object);
  return ObjectGraph(std::move(state));
}

Result<std::vector<ObjectGraph>> ObjectGraph::read_all(const std::string& path) {
  std::vector<ObjectGraph> graphs;
  auto binary = llvm::object::createBinary(path);
  if (!binary)
    return failure(path + " cannot be read as an object or archive: " + reason(binary.takeError()));
  const auto* const archive = llvm::dyn_cast<llvm::object::Archive>(binary->getBinary());
  if (archive == nullptr) {
    TRY_ASSIGN(auto graph, read(path));
    graphs.push_back(std::move(graph));
    return graphs;
  }
  llvm::Error error = llvm::Error::success();
  for (const llvm::object::Archive::Child& child : archive->children(error)) {
    auto bytes = child.getMemoryBufferRef();
    if (!bytes) { // of a thin archive, a file that is gone
      llvm::consumeError(bytes.takeError());
      continue;
    }
    auto copy = llvm::MemoryBuffer::getMemBufferCopy(bytes->getBuffer(), bytes->getBufferIdentifier());
    auto object = llvm::object::ObjectFile::createObjectFile(copy->getMemBufferRef());
    if (!object) { // bitcode, or a file that is no object
      llvm::consumeError(object.takeError());
      continue;
    }
    auto state = std::make_unique<State>();
    state->file = {std::move(*object), std::move(copy)};
    if (auto graph = of(std::move(state), path + '(' + bytes->getBufferIdentifier().str() + ')'))
      graphs.push_back(*std::move(graph));
  }
  if (error)
    return failure(path + " is damaged: " + reason(std::move(error)));
  return graphs;
}

std::span<const ObjectGraph::Undefined> ObjectGraph::undefined() const {
  return state_->undefined;
}

std::span<const std::string> ObjectGraph::names(std::size_t node) const {
  return state_->nodes.names(node);
}

std::span<const Reference> ObjectGraph::references_to(std::size_t node) const {
  return state_->nodes.references_to(node);
}

std::vector<Frame> ObjectGraph::frames(const Reference& reference) const {
  return state_->lines->at(reference.section, reference.offset);
}

} // namespace hostpin::probe
