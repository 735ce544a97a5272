// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/file_scan.hpp"

#include "hooks/leak-check/scan/text.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hostpin::leak {

namespace {

/// Enough for the header of a PE file: the program for DOS before it rarely takes 512 bytes.
constexpr std::size_t pe_bytes = 8192;

std::size_t entries_of(const ScannedPart& part) {
  std::size_t entries = 1 + (part.text ? part.text->references.size() : 0);
  if (part.elf && part.elf->image)
    entries += part.elf->image->needed.size() + part.elf->image->version_needs.size() +
               part.elf->image->version_definitions.size();
  return entries;
}

} // namespace

bool Budget::reserve_window(std::uint64_t bytes) {
  if (bytes > limits_.windows - std::min(limits_.windows, windows_))
    return false;
  windows_ += bytes;
  if (windows_ > limits_.small_windows && large_windows_.mutex() != nullptr && !large_windows_.owns_lock())
    large_windows_.lock();
  return true;
}

void Budget::count_entries(const ScannedFile& file) {
  for (; parts_ < file.parts.size(); ++parts_)
    part_entries_ += entries_of(file.parts[parts_]);
  entries_ = part_entries_ + file.found.size() + file.unseen.size();
}

bool Budget::is_spent() const {
  return decompressed_ > std::min(limits_.decompressed, ratio_limit_) || members_ > limits_.members ||
         entries_ > limits_.entries;
}

std::string Budget::reason(std::uint64_t begun) const {
  const std::string rest = "; the rest was not scanned";
  if (members_ > limits_.members)
    return "it has more than " + std::to_string(limits_.members) + " members" + rest;
  if (entries_ > limits_.entries)
    return "it has more than " + std::to_string(limits_.entries) + " entries to report" +
           (begun == 0   ? rest
            : begun == 1 ? "; what follows its first member was not scanned"
                         : "; what follows its first " + std::to_string(begun) + " members was not scanned");
  if (decompressed_ > limits_.decompressed)
    return "it decompresses to more than " + std::to_string(limits_.decompressed) + " bytes" + rest;
  return "it decompresses to more than " + std::to_string(limits_.ratio) +
         " times its size, as decompression bombs do" + rest;
}

std::uint64_t Budget::ratio_limit(const ScanLimits& limits, std::uint64_t compressed) {
  const bool beyond = compressed > limits.decompressed / limits.ratio;
  return std::max(limits.ratio_from, beyond ? limits.decompressed : compressed * limits.ratio);
}

namespace {

ScannedFile::Kind kind_of(const ScanItem& item) {
  switch (item.sniffed.content) {
  case Content::elf:
    return ScannedFile::Kind::elf;
  case Content::static_archive:
    return ScannedFile::Kind::static_archive;
  case Content::packed:
  case Content::closed:
    return ScannedFile::Kind::packed;
  default:
    return item.part.text ? ScannedFile::Kind::text : ScannedFile::Kind::other;
  }
}

bool has_facts(const ScannedPart& part) {
  return part.elf || part.pe || part.text || part.link_target;
}

} // namespace

FileScan::FileScan(const NeedleSet& needles, const ScanOptions& options, Crew* crew)
    : options_(options), crew_(crew), content_(needles) {}

ScanItem FileScan::begin(binary::Blob blob, const std::string& name, std::vector<std::string> member,
                         ScannedFile& file) {
  const std::string beginning = blob.beginning(sniffed_bytes);
  ScanItem item{std::move(blob), std::move(member), sniff(beginning, name), {}, nullptr};
  item.part.member = item.member;
  item.part.size = item.blob.size();
  if (item.sniffed.content == Content::elf)
    begin_elf(item, file);
  else if (item.sniffed.content == Content::static_archive)
    begin_archive(item, file);
  else if (beginning.starts_with("MZ") && (item.part.pe = binary::pe_header(item.blob.beginning(pe_bytes)))) {
    // It has no facts but its header.
  } else if (item.sniffed.content == Content::script || item.sniffed.content == Content::other)
    begin_text(item, name, beginning, file);
  if (!item.locations)
    item.locations = std::make_unique<OneLocation>(
        item.member, item.part.text ? std::string(to_string(item.part.text->kind)) : std::string());
  if (item.member.empty())
    file.kind = kind_of(item);
  return item;
}

void FileScan::begin_elf(ScanItem& item, ScannedFile& file) {
  const binary::BlobSource source(item.blob);
  ElfReading reading = read_elf(source);
  for (std::string& trouble : reading.troubles)
    add_unseen(file, item.member, {}, std::move(trouble));
  item.frame = std::make_unique<ElfFrame>(std::move(reading.frame));
  item.locations = std::make_unique<ElfLocations>(item.member, item.frame->sections);
  item.part.elf = std::move(reading.facts);
}

void FileScan::begin_archive(ScanItem& item, ScannedFile& file) const {
  if (!options_.content)
    return;
  bool has_more = false;
  ArIndex members(item.blob);
  const auto read = read_ar(item.blob, [&](const ArMember& member) {
    has_more = members.size() == options_.limits.members;
    if (!has_more)
      members.add(member);
    return !has_more;
  });
  if (!read)
    add_unseen(file, item.member, {}, read.error().message);
  if (has_more)
    add_unseen(file, item.member, {},
               "it has more than " + std::to_string(members.size()) + " members; the rest was not opened");
  item.locations = std::make_unique<ArLocations>(item.blob, item.member, std::move(members));
}

void FileScan::begin_text(ScanItem& item, const std::string& name, std::string_view beginning,
                          ScannedFile& file) {
  const auto kind = text_kind(name, beginning);
  if (!kind)
    return;
  // A script may have a payload of any size.
  const bool is_script = *kind == TextFacts::Kind::script;
  const binary::Blob wanted =
      is_script ? item.blob.part(0, std::min<std::uint64_t>(item.blob.size(), longest_text)) : item.blob;
  const auto bytes = wanted.all(longest_text);
  if (bytes)
    item.part.text = read_text(*kind, *bytes);
  if (item.part.text && item.part.text->is_cut)
    add_unseen(file, item.member, std::string(to_string(*kind)),
               "it contains more paths, or longer variables or names, than are read");
  if (!bytes)
    add_unseen(file, item.member, std::string(to_string(*kind)), bytes.error().message);
}

Result<void> FileScan::content(const ScanItem& item, std::uint64_t begin, std::uint64_t end,
                               ContentResult& content_result) {
  if (item.frame)
    content_result.linked_in = LinkedIn(item.frame->sections);
  return content_.range(item.blob, begin, end, *item.locations, content_result.hits,
                        content_result.linked_in);
}

Result<void> FileScan::content(const ScanItem& item, ContentResult& content_result) {
  struct Scanned {
    ContentResult found;
    Result<void> read;
  };
  const std::uint64_t size = item.blob.size();
  const auto pieces = static_cast<std::size_t>(std::max<std::uint64_t>(1, size / options_.piece));
  const std::function<Scanned(std::size_t, FileScan&)> scan = [&](std::size_t index, FileScan& by) {
    const std::uint64_t begin = index * options_.piece;
    const std::uint64_t end = index + 1 == pieces ? size : begin + options_.piece;
    Scanned scanned{ContentResult(options_.limits.kinds), {}};
    scanned.read = by.content(item, begin, end, scanned.found);
    if (options_.progress != nullptr && item.member.empty())
      options_.progress->read(end - begin);
    return scanned;
  };
  Result<void> read;
  const std::function<bool(std::size_t, Scanned &&)> add = [&](std::size_t, Scanned&& scanned) {
    content_result.hits.append(std::move(scanned.found.hits));
    content_result.linked_in.merge(scanned.found.linked_in);
    if (read)
      read = std::move(scanned.read);
    return true;
  };
  in_order(pieces, *this, crew_, scan, add);
  return read;
}

void FileScan::end(ScanItem&& item, ContentResult&& content_result, ScannedFile& file, Budget& budget) {
  add_hits(std::move(content_result.hits), *item.locations, file);
  const std::size_t own_end = file.found.size();
  if (content_result.hits.is_full())
    add_unseen(file, item.member, {}, "it has more references than are reported");
  if (item.part.elf)
    content_result.linked_in.set_facts(*item.part.elf);
  if (has_facts(item.part))
    file.parts.push_back(std::move(item.part));
  budget.count_entries(file);
  if (!options_.content || !options_.open_packed)
    return;
  switch (item.sniffed.content) {
  case Content::elf:
    open_elf(item, file, budget);
    open_payload(item, file, budget);
    return;
  case Content::static_archive:
    open_archive(item, file, budget);
    return;
  case Content::packed:
    open_packed(item, item.blob, file, budget);
    break;
  case Content::closed:
    add_unseen(file, item.member, {},
               "files of this kind cannot be opened: " + std::string(item.sniffed.format));
    return;
  case Content::script:
  case Content::other:
    open_payload(item, file, budget);
    return;
  }
  drop_repeated(file.found, own_end, [&](const FoundNeedle& one) { return one.where.member == item.member; });
}

void FileScan::link(const std::string& target, std::vector<std::string> member, ScannedFile& file) {
  OneLocation locations(member, "symlink");
  ContentResult content_result(options_.limits.kinds);
  const binary::Blob blob(target);
  if (const auto scanned =
          content_.range(blob, 0, blob.size(), locations, content_result.hits, content_result.linked_in);
      scanned)
    add_hits(std::move(content_result.hits), locations, file);
  ScannedPart part;
  part.member = std::move(member);
  part.size = target.size();
  part.link_target = target;
  file.parts.push_back(std::move(part));
}

} // namespace hostpin::leak
