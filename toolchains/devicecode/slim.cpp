// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/devicecode/slim.hpp"

#include "toolchains/binary/elf_writer.hpp"
#include "toolchains/binary/sections.hpp"
#include "toolchains/devicecode/note.hpp"
#include "toolchains/fatbin/functions.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace hostpin::devicecode {

using namespace binary;
using gpus::Capability;

namespace {

constexpr std::size_t most_names = 3, most_cubin = std::size_t{64} << 20U;

/// A fatbin, and what stays of it.
struct Part {
  const Fatbin* fatbin;
  std::size_t section; ///< of the image
  Kept kept;
  bool is_fixed = false; ///< all of it stays, where it is

  std::uint64_t size() const {
    std::uint64_t sum = fatbin->header;
    for (std::size_t i = 0; i < fatbin->entries.size(); ++i)
      if (kept.entries[i])
        sum += fatbin->entries[i].header + fatbin->entries[i].payload;
    return sum;
  }

  void fix() {
    is_fixed = true;
    kept.entries.assign(fatbin->entries.size(), true);
    std::erase_if(kept.unserved, [&](const Capability& gpu) {
      return std::find(kept.lost.begin(), kept.lost.end(), gpu) != kept.lost.end();
    });
    kept.lost.clear();
  }
};

std::uint64_t alignment_of(const DeviceSection& section, const Image& image) {
  return std::max<std::uint64_t>(image.headers.sections[section.index].sh_addralign, FatbinHead::alignment);
}

fatbin::CodeUse use_of(const Bytes& file, const EmbeddedCode& entry, bool relocatable) {
  if (fatbin::may_lack_functions(entry))
    if (const auto payload = file.view(entry.at + entry.header, entry.size);
        payload && fatbin::lacks_functions(entry, *payload))
      return fatbin::CodeUse::none;
  return relocatable ? fatbin::CodeUse::link : fatbin::CodeUse::run;
}

bool is_linked(const Part& part, const Image& image) {
  return std::any_of(part.fatbin->wrappers.begin(), part.fatbin->wrappers.end(),
                     [&](std::size_t wrapper) { return image.wrappers[wrapper].version == Wrapper::linked; });
}

/// Selects what stays and finds addresses for it.
class LinkedSlimming {
public:
  LinkedSlimming(const Bytes& file, const Image& image, const Keeping& keeping)
      : file_(file), image_(image), keeping_(keeping) {}

  Reading<Slimmed> slim();

private:
  Part part_of(const Fatbin& fatbin, std::size_t section, const Keeping& keeping) const;
  void select();
  void keep_whole(std::size_t first, std::size_t last);
  void select_relocatable();
  void count();
  void find_unserved();
  std::vector<Capability> relinked() const;
  std::string note() const;

  Reading<bool> place();
  std::size_t end_of_run(std::size_t first) const;
  std::uint64_t begin_of(std::size_t section);
  std::uint64_t place_section(std::size_t section, std::uint64_t at, ChangedRegion& region);
  void add(const Part& part, std::vector<Piece>& to) const;
  void keep_all();

  const Bytes& file_;
  const Image& image_;
  const Keeping& keeping_;
  std::vector<Part> parts_; ///< in the order of the file
  ElfChange change_;
  Slimmed result_;
};

Part LinkedSlimming::part_of(const Fatbin& fatbin, std::size_t section, const Keeping& keeping) const {
  Part part{&fatbin, section, kept(fatbin.entries, keeping, CodeReader::driver)};
  // one that has only empty code is not missing any; without entries it would be
  if (part.kept.count() == 0 && is_idle(fatbin.entries, file_))
    part.kept.entries[0] = true;
  return part;
}

/// What has to stay where it is, with all between.
void LinkedSlimming::keep_whole(std::size_t first, std::size_t last) {
  std::optional<std::size_t> begin;
  std::size_t end = first;
  for (std::size_t i = first; i < last; ++i)
    if (parts_[i].fatbin->wrappers.empty()) {
      begin = begin.value_or(i);
      end = i + 1;
    }
  for (std::size_t i = begin.value_or(end); i < end; ++i)
    parts_[i].fix();
}

void LinkedSlimming::select() {
  for (std::size_t i = 0; i < image_.sections.size(); ++i) {
    const std::size_t first = parts_.size();
    Keeping none{keeping_.gpus, {}, PtxPolicy::none};
    for (const Fatbin& fatbin : image_.sections[i].fatbins)
      parts_.push_back(part_of(fatbin, i, image_.sections[i].relocatable ? none : keeping_));
    keep_whole(first, parts_.size());
  }
}

/// The driver links relocatable code where a device link wrote nothing for a GPU: for listed GPUs, and later
/// ones.
void LinkedSlimming::select_relocatable() {
  Keeping keeping{keeping_.gpus, {}, keeping_.ptx};
  bool links = false;
  std::vector<Capability> needed;
  for (const Part& part : parts_)
    if (is_linked(part, image_)) {
      links = true;
      needed.insert(needed.end(), part.kept.unserved.begin(), part.kept.unserved.end());
    }
  for (const gpus::GpuTarget& target : keeping_.targets)
    if (std::find(needed.begin(), needed.end(), gpus::baseline(target.capability)) != needed.end())
      keeping.targets.push_back(target);
  for (Part& part : parts_)
    if (links && image_.sections[part.section].relocatable && !part.is_fixed)
      part.kept = kept(part.fatbin->entries, keeping, CodeReader::driver);
}

void LinkedSlimming::count() {
  for (const Part& part : parts_) {
    for (fatbin::Holding* const held : {&result_.held_before, &result_.held_after}) {
      held->begin_fatbin();
      held->idle += part.fatbin->is_stub ? 1U : 0U;
    }
    for (std::size_t i = 0; i < part.fatbin->entries.size(); ++i) {
      const EmbeddedCode& entry = part.fatbin->entries[i];
      const auto use = use_of(file_, entry, image_.sections[part.section].relocatable);
      for (const EmbeddedCode& piece : pieces_of({entry}).pieces) {
        result_.held_before.add(piece, use);
        if (part.kept.entries[i])
          result_.held_after.add(piece, use);
      }
    }
  }
}

/// The listed GPUs for which the driver can link all relocatable code.
std::vector<Capability> LinkedSlimming::relinked() const {
  std::vector<Capability> result;
  bool any = false;
  for (const gpus::GpuTarget& target : keeping_.targets)
    result.push_back(gpus::baseline(target.capability));
  for (const Part& part : parts_)
    if (image_.sections[part.section].relocatable) {
      any = true;
      std::erase_if(result, [&](const Capability& gpu) {
        const auto& unserved = part.kept.unserved;
        return std::find(unserved.begin(), unserved.end(), gpu) != unserved.end();
      });
    }
  return any ? result : std::vector<Capability>();
}

void LinkedSlimming::find_unserved() {
  const std::vector<Capability> linked = relinked();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    UnservedFatbin found{i, part.kept.unserved, part.kept.lost, {}};
    if (is_linked(part, image_))
      std::erase_if(found.gpus, [&](const Capability& gpu) {
        return std::find(linked.begin(), linked.end(), gpu) != linked.end();
      });
    if (found.gpus.empty() || image_.sections[part.section].relocatable || part.fatbin->is_stub ||
        is_idle(part.fatbin->entries, file_))
      continue;
    for (const EmbeddedCode& entry : part.fatbin->entries)
      if (found.names.empty())
        found.names = names_in(file_, entry, most_names);
    result_.unserved.push_back(std::move(found));
  }
}

std::string LinkedSlimming::note() const {
  Note note;
  for (const gpus::GpuTarget& target : keeping_.targets) {
    const bool is_served =
        std::all_of(result_.unserved.begin(), result_.unserved.end(), [&](const UnservedFatbin& fatbin) {
          return std::find(fatbin.gpus.begin(), fatbin.gpus.end(), gpus::baseline(target.capability)) ==
                 fatbin.gpus.end();
        });
    if (is_served)
      note.gpus.push_back(target.capability);
  }
  note.ptx = keeping_.ptx == PtxPolicy::newest   ? "newest"
             : keeping_.ptx == PtxPolicy::needed ? "needed"
             : keeping_.ptx == PtxPolicy::none   ? "none"
                                                 : "all";
  return note_bytes(note);
}

/// The end of the sections from `first` on that have no other sections between them, and nothing fixed in
/// them if they are several.
std::size_t LinkedSlimming::end_of_run(std::size_t first) const {
  const auto has_fixed = [&](std::size_t section) {
    return std::any_of(parts_.begin(), parts_.end(),
                       [&](const Part& part) { return part.section == section && part.is_fixed; });
  };
  std::size_t last = first + 1;
  for (; last < image_.sections.size() && !has_fixed(first) && !has_fixed(last); ++last) {
    const DeviceSection &before = image_.sections[last - 1], &section = image_.sections[last];
    const std::uint64_t end = before.address + before.size;
    if (section.address < end ||
        image_.headers.segment_of(end - 1) != image_.headers.segment_of(section.address))
      break;
    const bool apart = std::any_of(
        image_.headers.sections.begin(), image_.headers.sections.end(), [&](const Elf64_Shdr& other) {
          return (other.sh_flags & SHF_ALLOC) != 0 && other.sh_addr >= end && other.sh_addr < section.address;
        });
    if (apart)
      break;
  }
  return last;
}

/// The address from which on what stays of one section's parts ends where its fixed parts begin. If that is
/// not possible, all of it stays.
std::uint64_t LinkedSlimming::begin_of(std::size_t index) {
  const DeviceSection& section = image_.sections[index];
  const std::uint64_t alignment = alignment_of(section, image_);
  std::uint64_t size = 0, fixed = 0;
  for (const Part& part : parts_)
    if (part.section == index && !part.is_fixed)
      size += rounded_up(part.size(), alignment);
    else if (part.section == index && fixed == 0)
      fixed = part.fatbin->address;
  if (fixed == 0)
    return section.address;
  if (size <= fixed - section.address)
    return (fixed - size) / alignment * alignment;
  for (Part& part : parts_)
    if (part.section == index)
      part.fix();
  return section.address;
}

/// What stays of a fatbin, with the size of it in its header.
void LinkedSlimming::add(const Part& part, std::vector<Piece>& to) const {
  const Fatbin& fatbin = *part.fatbin;
  constexpr std::uint64_t content_at = 8;
  to.push_back(Piece::of(fatbin.at, content_at));
  to.push_back(Piece::of(bytes_of(part.size() - fatbin.header)));
  to.push_back(Piece::of(fatbin.at + FatbinHead::bytes, fatbin.header - FatbinHead::bytes));
  for (std::size_t i = 0; i < fatbin.entries.size(); ++i) {
    const EmbeddedCode& entry = fatbin.entries[i];
    if (!part.kept.entries[i])
      continue;
    if (Piece& last = to.back(); last.from && *last.from + last.size == entry.at)
      last.size += entry.header + entry.payload;
    else
      to.push_back(Piece::of(entry.at, entry.header + entry.payload));
  }
}

/// Adds the parts of one section from the address `at` on, and returns the end: first those that move, then
/// those that do not.
std::uint64_t LinkedSlimming::place_section(std::size_t section, std::uint64_t at, ChangedRegion& region) {
  const DeviceSection& before = image_.sections[section];
  const std::uint64_t alignment = alignment_of(before, image_), begin = at;
  const auto add_at = [&](std::uint64_t address, const Part& part) {
    region.content.push_back(Piece::zeros(address - at));
    add(part, region.content);
    image_.redirect(*part.fatbin, address, change_);
    at = address + part.size();
  };
  for (const bool fixed : {false, true})
    for (const Part& part : parts_)
      if (part.section == section && part.is_fixed == fixed)
        add_at(fixed ? part.fatbin->address : rounded_up(at, alignment), part);
  region.sections.push_back({before.index, begin, at - begin});
  return at;
}

Reading<bool> LinkedSlimming::place() {
  for (std::size_t first = 0; first < image_.sections.size();) {
    const std::size_t end = end_of_run(first);
    const DeviceSection& last = image_.sections[end - 1];
    ChangedRegion region{image_.sections[first].address, last.address + last.size, 0, {}, {}};
    std::uint64_t at = region.content_at = begin_of(first);
    for (; first < end; ++first) {
      const std::uint64_t begin = rounded_up(at, alignment_of(image_.sections[first], image_));
      region.content.push_back(Piece::zeros(begin - at));
      at = place_section(first, begin, region);
    }
    if (at > region.end)
      return damaged("its fatbins are not aligned as their section");
    change_.regions.push_back(std::move(region));
  }
  return true;
}

Reading<Slimmed> LinkedSlimming::slim() {
  result_.before = result_.after = file_.size();
  select();
  select_relocatable();
  TRY(place());
  find_unserved();
  count();
  change_.section = AddedSection{Note::section, SHT_NOTE, note()};
  if (result_.held_after.bytes() != result_.held_before.bytes()) {
    auto pieces = changed_elf(file_, image_.headers, change_);
    if (!pieces)
      return tl::unexpected(pieces.error());
    result_.pieces = std::move(*pieces);
    result_.after = size_of(result_.pieces);
    result_.changed = true; // even if no page is left out: a list says what a file contains
  }
  if (!result_.changed)
    keep_all();
  return std::move(result_);
}

/// The file as it is.
void LinkedSlimming::keep_all() {
  for (Part& part : parts_)
    part.fix();
  result_.unserved.clear();
  find_unserved();
  result_.held_after = result_.held_before;
  result_.after = result_.before;
  result_.pieces = {Piece::of(0, result_.before)};
}

/// The part of a section's name after `.text.`, which ptxas writes for each function.
std::vector<std::string> kernels_in(std::string_view cubin, std::size_t most) {
  std::vector<std::string> names;
  const InputFile file(cubin);
  const auto table = SectionTable::open(Bytes(file), ElfKinds::any);
  if (!table || !*table)
    return names;
  constexpr std::string_view text = ".text.";
  constexpr std::size_t longest = 4096;
  static_cast<void>((**table).each([&](const ObjectSection& section) {
    const auto name = (**table).name_bytes(section, longest);
    if (name && name->starts_with(text))
      names.emplace_back(name->substr(text.size(), name->find('\0') - text.size()));
    return names.size() < most;
  }));
  return names;
}

std::string content_of(const Bytes& bytes, const EmbeddedCode& entry) {
  std::string payload(static_cast<std::size_t>(std::min<std::uint64_t>(entry.size, most_cubin)), '\0');
  if (!bytes.read(entry.at + entry.header, payload.data(), payload.size()))
    return {};
  if (entry.packing == DevicePacking::none)
    return payload;
  return fatbin::decompressed(entry.packing, payload, most_cubin).value_or(std::string());
}

} // namespace

std::vector<std::string> names_in(const Bytes& bytes, const EmbeddedCode& entry, std::size_t most) {
  constexpr std::uint32_t longest = 4096; // PATH_MAX
  if (entry.name_size != 0 && entry.name_size <= longest && entry.name_at <= entry.header &&
      entry.name_size <= entry.header - entry.name_at)
    if (const auto name = bytes.view(entry.at + entry.name_at, entry.name_size))
      return {std::string(name->substr(0, name->find('\0')))};
  return entry.code == DeviceCode::cubin ? kernels_in(content_of(bytes, entry), most)
                                         : std::vector<std::string>();
}

Reading<Slimmed> slim_linked(const Bytes& file, const Image& image, const Keeping& keeping) {
  return LinkedSlimming(file, image, keeping).slim();
}

} // namespace hostpin::devicecode
