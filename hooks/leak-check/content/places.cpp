// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/content/places.hpp"

#include "hooks/leak-check/elf/sections.hpp"

#include <algorithm>

namespace hostpin {

namespace {

SectionMap sections_of(const Blob& member) {
  const BlobSource source(member);
  auto frame = read_header(source);
  if (!frame || !read_sections(source, *frame))
    return SectionMap();
  return SectionMap(frame->sections);
}

} // namespace

SectionMap::SectionMap(const std::vector<ElfSection>& sections) {
  std::map<std::string, std::uint32_t> known;
  for (const ElfSection& section : sections) {
    if (section.size == 0)
      continue;
    const auto [name, is_new] = known.try_emplace(section.name, static_cast<std::uint32_t>(names_.size()));
    if (is_new)
      names_.push_back(section.name);
    ranges_.push_back(
        {section.offset, section.offset + std::min(section.size, ~section.offset), name->second});
  }
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
}

std::uint32_t SectionMap::index_at(std::uint64_t offset) const {
  const auto behind = std::upper_bound(ranges_.begin(), ranges_.end(), offset,
                                       [](std::uint64_t at, const Range& range) { return at < range.begin; });
  return behind != ranges_.begin() && offset < std::prev(behind)->end ? std::prev(behind)->name : 0;
}

std::uint32_t ArPlaces::at(std::uint64_t offset) {
  const std::lock_guard lock(mutex_);
  const auto is_in_last = [&] {
    return last_ && offset >= last_->member.offset && offset - last_->member.offset < last_->member.size;
  };
  if (!is_in_last()) {
    const auto index = members_.at(offset);
    auto member = index ? members_.member(*index) : std::nullopt;
    if (!member)
      return number_of(members_.size(), {});
    SectionMap sections = sections_of(archive_.part(member->offset, member->size));
    last_.emplace(Last{*index, *std::move(member), std::move(sections)});
  }
  return number_of(last_->index, last_->sections.at(offset - last_->member.offset));
}

std::uint32_t ArPlaces::number_of(std::size_t member, std::string section) {
  const auto [known, is_new] =
      numbers_.try_emplace({member, std::move(section)}, static_cast<std::uint32_t>(places_.size()));
  if (is_new)
    places_.push_back(known->first);
  return known->second;
}

Place ArPlaces::place(std::uint32_t number) const {
  const std::lock_guard lock(mutex_);
  const auto& [index, section] = places_[number];
  Place place{member_, section, 0};
  if (auto member = index < members_.size() ? members_.member(index) : std::nullopt) {
    place.member.push_back(std::move(member->name));
    place.begin = member->offset;
  }
  return place;
}

} // namespace hostpin
