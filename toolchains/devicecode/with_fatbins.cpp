// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/devicecode/with_fatbins.hpp"

#include "toolchains/binary/elf_writer.hpp"
#include "toolchains/devicecode/note.hpp"
#include "toolchains/devicecode/objects.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace hostpin::devicecode {

using namespace binary;

namespace {

/// A section of fatbins with new content.
struct NewSection {
  const DeviceSection* section;
  std::vector<Piece> content;
  std::vector<std::uint64_t> offsets; ///< of the fatbins in it
  std::uint64_t size = 0;
  std::uint64_t address = 0;

  bool grows() const { return size > section->size; }
};

class LinkedFile {
public:
  LinkedFile(const Bytes& file, const Image& image) : file_(file), image_(image) {}

  Reading<std::vector<Piece>> with(std::vector<std::vector<std::string>> fatbins,
                                   const std::vector<gpus::Capability>& more) {
    TRY(binary::changeable(file_, image_.headers));
    for (std::size_t i = 0; i < image_.sections.size(); ++i)
      TRY(add(image_.sections[i], std::move(fatbins[i])));
    std::sort(sections_.begin(), sections_.end(), [](const NewSection& one, const NewSection& other) {
      return one.section->address < other.section->address;
    });
    note(more); // first: the added segment follows the content without a former note
    TRY(place());
    for (const NewSection& changed : sections_)
      for (std::size_t i = 0; i < changed.offsets.size(); ++i)
        image_.redirect(changed.section->fatbins[i], changed.address + changed.offsets[i], change_);
    return changed_elf(file_, image_.headers, change_);
  }

private:
  bool is_unchanged(const Fatbin& fatbin, const std::string& bytes) const {
    if (bytes.size() != fatbin.size())
      return false;
    for (std::uint64_t at = 0; at < bytes.size(); at += Bytes::view_limit) {
      const std::uint64_t size = std::min<std::uint64_t>(bytes.size() - at, Bytes::view_limit);
      if (file_.view(fatbin.at + at, size) !=
          std::string_view(bytes).substr(static_cast<std::size_t>(at), static_cast<std::size_t>(size)))
        return false;
    }
    return true;
  }

  Reading<bool> add(const DeviceSection& section, std::vector<std::string> fatbins) {
    NewSection changed{&section, {}, {}};
    bool same = true, fixed = false;
    for (std::size_t i = 0; i < fatbins.size(); ++i) {
      same = same && is_unchanged(section.fatbins[i], fatbins[i]);
      fixed = fixed || section.fatbins[i].wrappers.empty();
      changed.content.push_back(Piece::zeros(rounded_up(changed.size, FatbinHead::alignment) - changed.size));
      changed.offsets.push_back(rounded_up(changed.size, FatbinHead::alignment));
      changed.size = changed.offsets.back() + fatbins[i].size();
      changed.content.push_back(Piece::of(std::move(fatbins[i])));
    }
    if (same)
      return true;
    if (fixed)
      return damaged("it has a fatbin that no wrapper points to, so that its device code cannot be moved");
    sections_.push_back(std::move(changed));
    return true;
  }

  /// Sections that become larger go to the added segment.
  Reading<bool> place() {
    std::uint64_t added_size = 0;
    for (NewSection& changed : sections_) {
      const DeviceSection& section = *changed.section;
      ChangedRegion region{section.address, section.address + section.size, section.address, {}, {}};
      if (changed.grows()) {
        if (!change_.added)
          change_.added.emplace(AddedSegment{alignment, {}});
        change_.added->content.push_back(Piece::zeros(rounded_up(added_size, alignment) - added_size));
        changed.address = rounded_up(added_size, alignment);
        added_size = changed.address + changed.size;
        std::move(changed.content.begin(), changed.content.end(), std::back_inserter(change_.added->content));
      } else {
        changed.address = section.address;
        region.content = std::move(changed.content);
      }
      region.sections.push_back({section.index, changed.address, changed.size});
      change_.regions.push_back(std::move(region));
    }
    return change_.added ? place_added() : Reading<bool>(true);
  }

  Reading<bool> place_added() {
    const auto address = added_address(file_, image_.headers, change_);
    if (!address)
      return tl::unexpected(address.error());
    for (std::size_t i = 0; i < sections_.size(); ++i)
      if (sections_[i].grows())
        change_.regions[i].sections.front().address = sections_[i].address += *address;
    return true;
  }

  void note(const std::vector<gpus::Capability>& more) {
    auto old = read_note(file_);
    if (!old || more.empty())
      return;
    std::set<gpus::Capability> gpus(old->gpus.begin(), old->gpus.end());
    gpus.insert(more.begin(), more.end());
    old->gpus.assign(gpus.begin(), gpus.end());
    change_.section = AddedSection{Note::section, SHT_NOTE, note_bytes(*old)};
  }

  static constexpr std::uint64_t alignment = 16; ///< of a section, as linkers align the largest ones

  const Bytes& file_;
  const Image& image_;
  ElfChange change_;
  std::vector<NewSection> sections_; ///< those that change
};

Rewriting raw(std::vector<std::string> fatbins) {
  Rewriting result;
  for (std::string& fatbin : fatbins) {
    fatbin.resize(rounded_up(fatbin.size(), FatbinHead::alignment));
    result.add(std::move(fatbin));
  }
  return result;
}

} // namespace

Reading<Rewriting> with_fatbins(const Bytes& file, const DeviceContent& code,
                                std::vector<std::string> fatbins, const std::vector<gpus::Capability>& more) {
  if (!code.image)
    return raw(std::move(fatbins));
  std::vector<std::vector<std::string>> sections;
  for (const DeviceSection& section : code.image->sections)
    sections.emplace_back(section.fatbins.size());
  for (std::size_t i = 0; i < code.fatbins.size(); ++i)
    sections[code.fatbins[i].section][code.fatbins[i].fatbin] = std::move(fatbins[i]);
  if (!code.image->is_linked())
    return object_with(file, *code.image, std::move(sections));
  TRY_ASSIGN(auto pieces, LinkedFile(file, *code.image).with(std::move(sections), more));
  Rewriting result;
  result.append(std::move(pieces));
  return result;
}

} // namespace hostpin::devicecode
