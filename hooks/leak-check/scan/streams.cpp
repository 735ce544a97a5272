// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of FileScan that decompresses sections of ELF files and entries of fatbins.
#include "hooks/leak-check/scan/containers.hpp"
#include "hooks/leak-check/scan/file_scan.hpp"
#include "toolchains/fatbin/functions.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hostpin::leak {

namespace {

constexpr std::uint64_t worth_sharing = std::uint64_t{256} << 10U; // compressed; a millisecond of work

/// Counts the bytes that are written to another target.
class Counted final : public binary::Target {
public:
  Counted(Target& target, const std::function<bool(std::uint64_t)>& spend, StreamResult& result)
      : target_(target), spend_(spend), result_(result) {}

  std::span<char> space() override { return target_.space(); }
  bool advance(std::size_t count) override {
    result_.decompressed += count;
    result_.is_stopped = !spend_(count);
    return !result_.is_stopped && target_.advance(count);
  }

private:
  Target& target_;
  const std::function<bool(std::uint64_t)>& spend_;
  StreamResult& result_;
};

} // namespace

void add_hits(HitCollector&& hits, const HitLocations& locations, ScannedFile& file) {
  for (FoundNeedle& one : hits.take(locations, file.path))
    file.found.push_back(std::move(one));
}

StreamResult FileScan::stream(HitLocations& locations, const Spend& spend,
                              const std::function<Result<void>(binary::Target&)>& fill) {
  StreamResult result{HitCollector(options_.limits.kinds), {}};
  content_.start(locations, result.hits);
  Counted counted(content_, spend, result);
  result.outcome = fill(counted);
  content_.finish();
  return result;
}

StreamResult FileScan::stream(const PackedStream& packed, const Spend& spend) {
  OneLocation locations(packed.member, packed.section);
  return stream(locations, spend,
                [&](binary::Target& target) { return packed.decompress(inflater_, target); });
}

Result<void> FileScan::add_stream(StreamResult&& result, const HitLocations& locations, ScannedFile& file) {
  const bool is_full = result.hits.is_full();
  add_hits(std::move(result.hits), locations, file);
  return result.outcome && is_full ? failure("it has more references than are reported") : result.outcome;
}

void FileScan::streams(const std::vector<PackedStream>& packed, ScannedFile& file, Budget& budget,
                       const StreamDone& done) {
  std::uint64_t size = 0;
  for (const PackedStream& one : packed)
    size += one.size;
  Crew* const crew = size < worth_sharing ? nullptr : crew_;
  const Spend spend = [&](std::uint64_t count) { return budget.spend(count); };
  // Several threads together decompress no more than one may. Where that does not suffice, it is decided in
  // order, so that the same bytes are scanned whatever the number of threads.
  const std::uint64_t room = budget.room();
  std::atomic<std::uint64_t> decompressed = 0;
  const Spend share = [&](std::uint64_t count) { return decompressed.fetch_add(count) + count <= room; };
  const std::function<StreamResult(std::size_t, FileScan&)> scan = [&](std::size_t index, FileScan& by) {
    return by.stream(packed[index], crew == nullptr ? spend : share);
  };
  const std::function<bool(std::size_t, StreamResult &&)> add = [&](std::size_t index,
                                                                    StreamResult&& scanned) {
    if (crew != nullptr && (scanned.is_stopped || scanned.decompressed > budget.room()))
      scanned = stream(packed[index], spend);
    else if (crew != nullptr)
      budget.spend(scanned.decompressed);
    const std::size_t known = file.found.size();
    const OneLocation locations(packed[index].member, packed[index].section);
    const auto outcome = add_stream(std::move(scanned), locations, file);
    return done(index, known, outcome);
  };
  in_order(packed.size(), *this, crew, scan, add);
}

namespace {

bool has_packed_sections(const ElfFrame& frame) {
  return std::any_of(frame.sections.begin(), frame.sections.end(), [](const ElfSection& section) {
    return section.is_compressed() || section.name.starts_with(".zdebug") || holds_fatbins(section.name);
  });
}

PackedStream stream_of(const ScanItem& item, const ElfSection& section, const CompressedSection& packed) {
  const binary::Blob bytes = item.blob.part(packed.offset, packed.size);
  const auto decompress = [bytes, method = packed.method](binary::Inflater& inflater,
                                                          binary::Target& target) -> Result<void> {
    using Method = CompressedSection::Method;
    switch (method) {
    case Method::zlib:
      return inflater.zlib(bytes, target);
    case Method::zstd:
      return inflater.zstd(bytes, target);
    case Method::unknown:
      break;
    }
    return failure("it is compressed by an unknown method");
  };
  return {item.member, section.name, bytes.size(), decompress};
}

} // namespace

void FileScan::open_elf(const ScanItem& item, ScannedFile& file, Budget& budget) {
  if (!item.frame || !has_packed_sections(*item.frame))
    return;
  const binary::BlobSource source(item.blob);
  std::vector<PackedStream> sections; // up to the next one of fatbins
  for (const ElfSection& section : item.frame->sections) {
    const auto packed = compressed_section(*item.frame, section, source);
    if (!packed && !holds_fatbins(section.name))
      continue;
    if (budget.is_spent()) // by earlier hits
      return add_unseen(file, item.member, section.name, budget.reason());
    if (packed) {
      sections.push_back(stream_of(item, section, *packed));
      continue;
    }
    open_sections(item, std::exchange(sections, {}), file, budget);
    if (budget.is_spent())
      return;
    const std::size_t known = file.found.size();
    open_fatbins(item, section, file, budget);
    drop_own(item, section.name, known, file);
    if (budget.is_spent())
      return;
  }
  open_sections(item, sections, file, budget);
}

void FileScan::drop_own(const ScanItem& item, const std::string& section, std::size_t known,
                        ScannedFile& file) {
  drop_repeated(file.found, known, [&](const FoundNeedle& one) {
    return one.where.member == item.member && one.where.section == section;
  });
}

void FileScan::open_sections(const ScanItem& item, const std::vector<PackedStream>& sections,
                             ScannedFile& file, Budget& budget) {
  streams(sections, file, budget, [&](std::size_t index, std::size_t known, const Result<void>& outcome) {
    const std::string& section = sections[index].section;
    if (budget.is_spent())
      add_unseen(file, item.member, section, budget.reason());
    else if (!outcome)
      add_unseen(file, item.member, section, outcome.error().message);
    drop_own(item, section, known, file);
    return !budget.is_spent();
  });
}

namespace {

/// As in `hostpin fatbin`.
fatbin::CodeUse use_of(const FatbinEntry& entry, const binary::Blob& section_bytes, const ElfFrame& frame,
                       const ElfSection& section) {
  if (fatbin::may_lack_functions(entry.head)) {
    std::string payload(static_cast<std::size_t>(entry.head.size), '\0');
    payload.resize(section_bytes.read(entry.offset(), payload).value_or(0));
    if (fatbin::lacks_functions(entry.head, payload))
      return fatbin::CodeUse::none;
  }
  constexpr std::uint16_t relocatable = 1;
  return frame.type != relocatable && section.name == "__nv_relfatbin" ? fatbin::CodeUse::link
                                                                       : fatbin::CodeUse::run;
}

/// Entries are read in groups, so that several can be decompressed at a time: the first ones of a section,
/// the next ones, and so on.
constexpr std::size_t entries_at_once = 4096;

PackedStream stream_of(const ScanItem& item, const std::string& section, const binary::Blob& section_bytes,
                       const FatbinEntry& entry, std::uint64_t number) {
  const binary::Blob bytes = section_bytes.part(entry.offset(), entry.head.size);
  const bool is_lz4 = entry.head.packing == binary::DevicePacking::lz4;
  std::vector<std::string> member = item.member;
  member.push_back(entry.name() + ' ' + std::to_string(number));
  return {std::move(member), section, bytes.size(),
          [bytes, is_lz4](binary::Inflater& inflater, binary::Target& target) {
            return is_lz4 ? inflater.lz4(bytes, target) : inflater.zstd(bytes, target);
          }};
}

/// The device code of a section by the headers of its entries, counted as far as they were scanned.
class CountedEntries {
public:
  CountedEntries(const ScanItem& item, const ElfSection& section, const binary::Blob& bytes)
      : item_(item), section_(section), bytes_(bytes) {}

  void add(const FatbinEntry& entry) {
    if (fatbin_ != entry.head.fatbin)
      held.begin_fatbin();
    fatbin_ = entry.head.fatbin;
    for (const binary::EmbeddedCode& piece : binary::pieces_of({entry.head}).pieces)
      held.add(piece, use_of(entry, bytes_, *item_.frame, section_));
    closed += entry.is_scrambled ? 1U : 0U;
  }

  fatbin::Holding held;
  std::uint64_t closed = 0; ///< compressed by an unknown method

private:
  const ScanItem& item_;
  const ElfSection& section_;
  const binary::Blob& bytes_;
  std::optional<std::uint64_t> fatbin_;
};

} // namespace

void FileScan::open_fatbins(const ScanItem& item, const ElfSection& section, ScannedFile& file,
                            Budget& budget) {
  const binary::Blob bytes = item.blob.part(section.offset, section.size);
  CountedEntries counted(item, section, bytes);
  std::uint64_t number = 0;
  std::vector<FatbinEntry> entries;
  const auto scan_entries = [&] {
    std::vector<PackedStream> packed;
    std::vector<std::size_t> indices; // of these in `entries`
    for (std::size_t i = 0; i < entries.size(); ++i, ++number)
      if (entries[i].head.packing != binary::DevicePacking::none) {
        packed.push_back(stream_of(item, section.name, bytes, entries[i], number + 1));
        indices.push_back(i);
      }
    std::size_t next = 0;
    const auto count_to = [&](std::size_t end) {
      for (; next < end; ++next)
        counted.add(entries[next]);
    };
    streams(packed, file, budget, [&](std::size_t index, std::size_t /*known*/, const Result<void>& outcome) {
      count_to(indices[index] + 1);
      if (!outcome && !budget.is_spent())
        add_unseen(file, packed[index].member, section.name, outcome.error().message);
      budget.count_entries(file);
      return !budget.is_spent();
    });
    if (!budget.is_spent())
      count_to(entries.size());
    entries.clear();
    return !budget.is_spent();
  };
  const auto read = read_fatbins(bytes, [&](const FatbinEntry& entry) {
    entries.push_back(entry);
    return entries.size() < entries_at_once || scan_entries();
  });
  scan_entries();
  file.device_code.add(counted.held);
  if (file.device_code.overflown)
    add_unseen(file, item.member, section.name, "it has more kinds of device code than any real file");
  if (budget.is_spent())
    add_unseen(file, item.member, section.name, budget.reason());
  else if (!read)
    add_unseen(file, item.member, section.name, read.error().message);
  if (counted.closed > 0)
    add_unseen(file, item.member, section.name,
               std::to_string(counted.closed) + " of its entries are compressed by an unknown method");
}

} // namespace hostpin::leak
