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
  const auto behind =
      std::upper_bound(members_.begin(), members_.end(), offset,
                       [](std::uint64_t at, const ArMember& member) { return at < member.offset; });
  if (behind == members_.begin() || offset >= std::prev(behind)->offset + std::prev(behind)->size)
    return number_of(members_.size(), {});
  const auto index = static_cast<std::size_t>(std::prev(behind) - members_.begin());
  const ArMember& member = members_[index];
  if (!last_ || last_->first != index)
    last_.emplace(index, sections_of(archive_.part(member.offset, member.size)));
  return number_of(index, last_->second.at(offset - member.offset));
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
  if (index < members_.size()) {
    place.member.push_back(members_[index].name);
    place.begin = members_[index].offset;
  }
  return place;
}

} // namespace hostpin
