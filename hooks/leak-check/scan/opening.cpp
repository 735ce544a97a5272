// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of FileScan that opens what is packed in an ELF file.
#include "hooks/leak-check/packed/fatbin.hpp"
#include "hooks/leak-check/scan/streaming.hpp"
#include "toolchains/fatbin/functions.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hostpin {

namespace {

bool has_packed_sections(const ElfFrame& frame) {
  return std::any_of(frame.sections.begin(), frame.sections.end(), [](const ElfSection& section) {
    return section.is_compressed() || section.name.starts_with(".zdebug") || holds_fatbins(section.name);
  });
}

/// As `hostpin fatbin` tells it.
CodeUse use_of(const FatbinEntry& entry, const Blob& section_bytes, const ElfFrame& frame,
               const ElfSection& section) {
  if (may_lack_functions(entry.head)) {
    std::string payload(static_cast<std::size_t>(entry.head.size), '\0');
    payload.resize(section_bytes.read(entry.offset, payload).value_or(0));
    if (lacks_functions(entry.head, payload))
      return CodeUse::none;
  }
  constexpr std::uint16_t relocatable = 1;
  return frame.type != relocatable && section.name == "__nv_relfatbin" ? CodeUse::link : CodeUse::run;
}

} // namespace

void FileScan::open_elf(const Subject& subject, ScannedFile& file, Budget& budget) {
  if (!subject.frame || !has_packed_sections(*subject.frame))
    return;
  const BlobSource source(subject.blob);
  for (const ElfSection& section : subject.frame->sections) {
    const auto packed = compressed_section(*subject.frame, section, source);
    if (!packed && !holds_fatbins(section.name))
      continue;
    if (budget.is_spent()) // by what was told before
      return tell_unseen(file, subject.member, section.name, budget.reason());
    const std::size_t known = file.found.size();
    if (packed)
      open_section(subject, section, *packed, file, budget);
    else
      open_fatbins(subject, section, file, budget);
    drop_told_again(file.found, known, [&](const FoundNeedle& one) {
      return one.where.member == subject.member && one.where.section == section.name;
    });
    if (budget.is_spent())
      return;
  }
}

Result<void> FileScan::unzstd(const Blob& packed, Target& target, Budget& budget) {
  Hold hold(budget.memory());
  if (auto held = hold.reach(zstd_window(packed.beginning(zstd_header))); !held)
    return held;
  return inflater_.zstd(packed, target);
}

void FileScan::open_section(const Subject& subject, const ElfSection& section,
                            const CompressedSection& packed, ScannedFile& file, Budget& budget) {
  using Method = CompressedSection::Method;
  OnePlace places(subject.member, section.name);
  const Blob bytes = subject.blob.part(packed.offset, packed.size);
  const auto unpacked = stream(places, file, budget, [&](Target& target) -> Result<void> {
    switch (packed.method) {
    case Method::zlib:
      return inflater_.zlib(bytes, target);
    case Method::zstd:
      return unzstd(bytes, target, budget);
    case Method::unknown:
      break;
    }
    return failure("it is compressed in a way that is not known");
  });
  if (budget.is_spent())
    tell_unseen(file, subject.member, section.name, budget.reason());
  else if (!unpacked)
    tell_unseen(file, subject.member, section.name, unpacked.error().message);
}

void FileScan::open_fatbins(const Subject& subject, const ElfSection& section, ScannedFile& file,
                            Budget& budget) {
  using Packing = FatbinEntry::Packing;
  const Blob bytes = subject.blob.part(section.offset, section.size);
  std::uint64_t number = 0;
  std::uint64_t closed = 0;
  std::optional<std::uint64_t> fatbin;
  Holding held;
  const auto read = read_fatbins(bytes, [&](const FatbinEntry& entry) {
    ++number;
    if (fatbin != entry.fatbin)
      held.begin_fatbin();
    fatbin = entry.fatbin;
    held.add(entry.head, use_of(entry, bytes, *subject.frame, section));
    closed += entry.packing == Packing::unknown ? 1U : 0U;
    if (entry.packing != Packing::lz4 && entry.packing != Packing::zstd)
      return true;
    std::vector<std::string> member = subject.member;
    member.push_back(entry.name() + ' ' + std::to_string(number));
    OnePlace places(member, section.name);
    const Blob packed = bytes.part(entry.offset, entry.head.size);
    const auto unpacked = stream(places, file, budget, [&](Target& target) {
      return entry.packing == Packing::lz4 ? inflater_.lz4(packed, target) : unzstd(packed, target, budget);
    });
    if (!unpacked && !budget.is_spent())
      tell_unseen(file, member, section.name, unpacked.error().message);
    budget.account(file);
    return !budget.is_spent();
  });
  file.device_code.add(held);
  if (file.device_code.overflown)
    tell_unseen(file, subject.member, section.name, "it has more kinds of device code than any real file");
  if (budget.is_spent())
    tell_unseen(file, subject.member, section.name, budget.reason());
  else if (!read)
    tell_unseen(file, subject.member, section.name, read.error().message);
  if (closed > 0)
    tell_unseen(file, subject.member, section.name,
                std::to_string(closed) + " of its entries are compressed in a way that is not known");
}

} // namespace hostpin
