// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/debug_lines.hpp"

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/DebugInfo/DIContext.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ELFObjectFile.h>
#include <map>
#include <utility>

namespace hostpin {

namespace {

using llvm::object::ELFObjectFileBase;
using llvm::object::ELFSectionRef;
using llvm::object::SectionRef;

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

} // namespace

struct DebugLines::State {
  explicit State(const ELFObjectFileBase& object) : placed(object) {
    const auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
    debug = llvm::DWARFContext::create(object, llvm::DWARFContext::ProcessDebugRelocations::Process, &placed,
                                       "", ignore, ignore);
  }
  Placed placed;
  std::unique_ptr<llvm::DWARFContext> debug;
};

DebugLines::DebugLines(const ELFObjectFileBase& object) : state_(std::make_unique<State>(object)) {}
DebugLines::~DebugLines() = default;

std::vector<Frame> DebugLines::at(std::uint64_t section, std::uint64_t offset) const {
  return source_frames(*state_->debug, state_->placed.address(section) + offset, section);
}

} // namespace hostpin
