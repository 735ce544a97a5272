// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/content.hpp"

#include "hooks/leak-check/needles/needles.hpp"
#include "hooks/leak-check/needles/path_text.hpp"
#include "hooks/leak-check/scan/elf.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace hostpin::leak {

namespace {

SectionMap sections_of(const binary::Blob& member) {
  const binary::BlobSource source(member);
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
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), offset,
                                      [](std::uint64_t at, const Range& range) { return at < range.begin; });
  return after != ranges_.begin() && offset < std::prev(after)->end ? std::prev(after)->name : 0;
}

std::uint32_t ArLocations::at(std::uint64_t offset) {
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

std::uint32_t ArLocations::number_of(std::size_t member, std::string section) {
  const auto [known, is_new] =
      numbers_.try_emplace({member, std::move(section)}, static_cast<std::uint32_t>(locations_.size()));
  if (is_new)
    locations_.push_back(known->first);
  return known->second;
}

HitLocation ArLocations::location(std::uint32_t number) const {
  const std::lock_guard lock(mutex_);
  const auto& [index, section] = locations_[number];
  HitLocation location{member_, section, 0};
  if (auto member = index < members_.size() ? members_.member(index) : std::nullopt) {
    location.member.push_back(std::move(member->name));
    location.begin = member->offset;
  }
  return location;
}

namespace {

/// The whole path that contains a hit.
std::string text_of(const Hit& hit, std::string_view bytes, std::uint64_t from) {
  const auto at = static_cast<std::size_t>(hit.offset - from);
  if (hit.encoding == Hit::Encoding::utf16) {
    std::string narrow;
    for (std::size_t i = at; i < bytes.size() && (i + 1 == bytes.size() || bytes[i + 1] == '\0') &&
                             narrow.size() < NeedleSet::longest;
         i += 2) // in big-endian text the last character has no second byte
      narrow += bytes[i];
    return std::string(path_around(narrow, 0, NeedleSet::longest));
  }
  std::string_view path = path_around(bytes, at, NeedleSet::longest);
  if (hit.how == Hit::How::hash) {
    // The path begins before the hash.
    const std::string_view before = path.substr(0, at - static_cast<std::size_t>(path.data() - bytes.data()));
    path.remove_prefix(std::min(before.find('/'), before.size()));
  } else {
    path.remove_prefix(at - static_cast<std::size_t>(path.data() - bytes.data()));
  }
  if (hit.encoding == Hit::Encoding::escaped)
    return unescaped(path.substr(0, NeedleSet::longest));
  return std::string(path.substr(0, NeedleSet::longest));
}

/// The path that both are at or below. Independent of the order, and so of how a file is divided.
std::string common_path(const std::string& a, const std::string& b) {
  const auto same =
      static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  const auto ends = [&](const std::string& path) { return path.size() == same || path[same] == '/'; };
  if (ends(a) && ends(b))
    return a.substr(0, same);
  const std::size_t slash = a.rfind('/', same == 0 ? 0 : same - 1);
  return slash == std::string::npos ? std::string() : a.substr(0, slash);
}

/// Adds a path, or the common path of several.
void add_path(FoundNeedle& hits, const std::string& path) {
  if (path != hits.common)
    hits.common = common_path(hits.common, path);
}

} // namespace

void HitCollector::add(const Hit& hit, std::uint64_t shift, std::uint32_t location, std::string_view bytes,
                       std::uint64_t from) {
  const Key key{location, hit.needle, hit.how, hit.encoding, hit.attached};
  auto known = hits_.find(key);
  if (known == hits_.end()) {
    if (hits_.size() >= most_kinds_) {
      full_ = true;
      return;
    }
    const std::string text = text_of(hit, bytes, from);
    FoundNeedle first{hit.needle, {}, text, text, 0, {}, hit.how, hit.encoding, hit.attached};
    known = hits_.emplace(key, std::move(first)).first;
  } else {
    add_path(known->second, text_of(hit, bytes, from));
  }
  FoundNeedle& hits = known->second;
  ++hits.times;
  // Hits come in the order of their slashes, so two may be swapped.
  const std::uint64_t offset = hit.offset + shift;
  if (hits.offsets.size() == FoundNeedle::most_offsets)
    return;
  hits.offsets.insert(std::upper_bound(hits.offsets.begin(), hits.offsets.end(), offset), offset);
}

void HitCollector::append(HitCollector&& next) {
  full_ = full_ || next.full_;
  if (hits_.empty())
    return hits_.swap(next.hits_);
  for (auto& [key, more] : next.hits_) {
    const auto known = hits_.find(key);
    if (known == hits_.end()) {
      if (hits_.size() >= most_kinds_)
        full_ = true;
      else
        hits_.emplace(key, std::move(more));
      continue;
    }
    FoundNeedle& hits = known->second;
    add_path(hits, more.common);
    hits.times += more.times;
    const std::size_t room = FoundNeedle::most_offsets - hits.offsets.size();
    hits.offsets.insert(hits.offsets.end(), more.offsets.begin(),
                        more.offsets.begin() +
                            static_cast<std::ptrdiff_t>(std::min(room, more.offsets.size())));
  }
}

std::vector<FoundNeedle> HitCollector::take(const HitLocations& locations, const std::string& path) {
  std::vector<FoundNeedle> found;
  found.reserve(hits_.size());
  while (!hits_.empty()) {
    auto node = hits_.extract(hits_.begin());
    HitLocation location = locations.location(std::get<0>(node.key()));
    FoundNeedle one = std::move(node.mapped());
    for (std::uint64_t& offset : one.offsets)
      offset -= location.begin;
    one.where = {path, std::move(location.member), std::move(location.section), one.offsets.front()};
    found.push_back(std::move(one));
  }
  std::sort(found.begin(), found.end(), [](const FoundNeedle& a, const FoundNeedle& b) {
    return std::tie(a.where.member, a.where.offset, a.needle, a.how, a.encoding, a.attached,
                    a.where.section) <
           std::tie(b.where.member, b.where.offset, b.needle, b.how, b.encoding, b.attached, b.where.section);
  });
  return found;
}

namespace {

// More than a path in UTF-16 to either side, and the text before it.
constexpr std::uint64_t overlap = 16384;

} // namespace

ContentScan::ContentScan(const NeedleSet& needles)
    : scan_(needles, [this](const Hit& hit) { report(hit); }) {}

void ContentScan::report(const Hit& hit) {
  const std::uint64_t offset = hit.offset + shift_;
  if (offset >= begin_ && offset < end_)
    hits_->add(hit, shift_, locations_->at(offset), scan_.buffered(), scan_.buffered_from());
}

void ContentScan::start(HitLocations& locations, HitCollector& hits) {
  locations_ = &locations;
  hits_ = &hits;
  shift_ = begin_ = 0;
  end_ = ~0ULL;
}

Result<void> ContentScan::range(const binary::Blob& blob, std::uint64_t begin, std::uint64_t end,
                                HitLocations& locations, HitCollector& hits, LinkedIn& linked_in) {
  start(locations, hits);
  begin_ = begin;
  end_ = end;
  shift_ = begin - std::min(begin, overlap);
  const std::uint64_t last = std::min(blob.size(), end + std::min(overlap, ~end));
  Result<void> outcome;
  for (std::uint64_t at = shift_; at < last;) {
    const std::span<char> space = scan_.space();
    const auto count = blob.read(
        at, space.first(static_cast<std::size_t>(std::min<std::uint64_t>(space.size(), last - at))));
    if (!count) {
      outcome = tl::unexpected(count.error());
      break;
    }
    scan_.advance(*count);
    at += *count;
    const std::string_view bytes = scan_.buffered();
    const std::size_t seen = std::min(bytes.size(), *count + LinkedIn::overlap);
    linked_in.search(at - seen, bytes.substr(bytes.size() - seen));
  }
  scan_.finish();
  return outcome;
}

} // namespace hostpin::leak
