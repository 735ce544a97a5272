// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/scan/content.hpp"
#include "hooks/leak-check/scan/elf.hpp"
#include "hooks/leak-check/scan/packed.hpp"
#include "hooks/leak-check/scan/scan.hpp"
#include "hooks/leak-check/scan/shared_pieces.hpp"
#include "hooks/leak-check/scan/sniff.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/decompress.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hostpin::leak {

/// How much may still be decompressed from one file and reported for it, however it is nested: limits
/// decompression bombs of all kinds.
class Budget {
public:
  /// `compressed`: bytes of the file. `large_windows`: shared by all files that are scanned at one time, so
  /// that only one of them at a time has large windows; nullptr: it is the only one.
  Budget(const ScanLimits& limits, std::uint64_t compressed, std::mutex* large_windows = nullptr)
      : limits_(limits), ratio_limit_(ratio_limit(limits, compressed)) {
    if (large_windows != nullptr)
      large_windows_ = std::unique_lock(*large_windows, std::defer_lock);
  }

  /// Whether that many more bytes may be decompressed.
  bool spend(std::uint64_t bytes) {
    decompressed_ += bytes;
    return !is_spent();
  }
  /// Bytes that may still be decompressed.
  std::uint64_t room() const {
    const std::uint64_t limit = std::min(limits_.decompressed, ratio_limit_);
    return limit - std::min(limit, decompressed_);
  }
  bool spend_member() { return ++members_ <= limits_.members; }
  bool allows_depth(std::size_t depth) const { return depth <= limits_.depth; }

  /// Whether a decoder may buffer that many bytes of its output, until `release_window`, in addition to the
  /// decoders around it. May wait for another file.
  bool reserve_window(std::uint64_t bytes);
  void release_window(std::uint64_t bytes) { windows_ -= bytes; }

  /// Counts the findings of the file so far.
  void count_entries(const ScannedFile& file);

  bool is_spent() const;
  /// Which limit was reached, as text. `begun`: how many of its members were read, at least in part.
  std::string reason(std::uint64_t begun = 0) const;

private:
  static std::uint64_t ratio_limit(const ScanLimits& limits, std::uint64_t compressed);

  ScanLimits limits_;
  std::uint64_t ratio_limit_;
  std::unique_lock<std::mutex> large_windows_;
  std::uint64_t windows_ = 0;
  std::uint64_t decompressed_ = 0;
  std::uint64_t members_ = 0;
  std::size_t entries_ = 0;
  std::size_t parts_ = 0, part_entries_ = 0; ///< counted so far
};

/// A file on disk, or a member of one, that is being scanned.
struct ScanItem {
  binary::Blob blob;
  std::vector<std::string> member; ///< empty for a file on disk
  Sniffed sniffed;
  ScannedPart part;
  std::unique_ptr<ElfFrame> frame; ///< of an ELF file; its address does not change
  std::unique_ptr<HitLocations> locations = nullptr;
};

/// The results of a part of an item's content.
struct ContentResult {
  explicit ContentResult(std::size_t most_kinds) : hits(most_kinds) {}

  HitCollector hits;
  LinkedIn linked_in;
};

/// Bytes that are compressed as one stream in a file.
struct PackedStream {
  std::vector<std::string> member; ///< of what it decompresses to
  std::string section;
  std::uint64_t size = 0; ///< compressed
  std::function<Result<void>(binary::Inflater&, binary::Target&)> decompress;
};

/// The results of a stream that was decompressed.
struct StreamResult {
  HitCollector hits;
  Result<void> outcome;
  std::uint64_t decompressed = 0;
  bool is_stopped = false; ///< because no more bytes were allowed
};

inline void add_unseen(ScannedFile& file, const std::vector<std::string>& member, const std::string& section,
                       std::string reason) {
  file.unseen.push_back({{file.path, member, section, std::nullopt}, std::move(reason)});
}

/// Moves the hits to `file.found`.
void add_hits(HitCollector&& hits, const HitLocations& locations, ScannedFile& file);

/// Uncompressed parts of an archive are scanned twice, and the hit in the member is more precise: of the hits
/// before `known`, drops each hit of the archive itself if a later hit is of the same needle.
template <typename IsOwn>
void drop_repeated(std::vector<FoundNeedle>& found, std::size_t known, const IsOwn& is_own) {
  const auto deeper = found.begin() + static_cast<std::ptrdiff_t>(known);
  const auto again = std::remove_if(found.begin(), deeper, [&](const FoundNeedle& one) {
    return is_own(one) && std::any_of(deeper, found.end(),
                                      [&](const FoundNeedle& other) { return other.needle == one.needle; });
  });
  found.erase(again, deeper);
}

/// Scans one file after the other; not thread-safe.
class FileScan {
public:
  /// Keeps references to all of them. `crew`: helps with the pieces of large files; nullptr: no thread does.
  FileScan(const NeedleSet& needles, const ScanOptions& options, Crew* crew = nullptr);

  /// Facts that do not need the content. `name`: for kinds that only a name identifies.
  ScanItem begin(binary::Blob blob, const std::string& name, std::vector<std::string> member,
                 ScannedFile& file);
  /// Scans the content.
  Result<void> content(const ScanItem& item, ContentResult& content_result);
  /// Adds the hits to `file`, and opens compressed parts.
  void end(ScanItem&& item, ContentResult&& content_result, ScannedFile& file, Budget& budget);

  /// Adds a symlink, and scans its target.
  void link(const std::string& target, std::vector<std::string> member, ScannedFile& file);

private:
  static void begin_elf(ScanItem& item, ScannedFile& file);
  void begin_archive(ScanItem& item, ScannedFile& file) const;
  static void begin_text(ScanItem& item, const std::string& name, std::string_view beginning,
                         ScannedFile& file);

  Result<void> content(const ScanItem& item, std::uint64_t begin, std::uint64_t end,
                       ContentResult& content_result);
  void open_elf(const ScanItem& item, ScannedFile& file, Budget& budget);
  void open_sections(const ScanItem& item, const std::vector<PackedStream>& sections, ScannedFile& file,
                     Budget& budget);
  /// Drops hits of a section's own bytes that were found again in what it decompresses to.
  static void drop_own(const ScanItem& item, const std::string& section, std::size_t known,
                       ScannedFile& file);
  void open_fatbins(const ScanItem& item, const ElfSection& section, ScannedFile& file, Budget& budget);
  void open_archive(const ScanItem& item, ScannedFile& file, Budget& budget);
  void open_archived_elf(const binary::Blob& blob, std::vector<std::string> names, ScannedFile& file,
                         Budget& budget);
  void open_payload(const ScanItem& item, ScannedFile& file, Budget& budget);
  void open_packed(const ScanItem& item, const binary::Blob& packed, ScannedFile& file, Budget& budget);
  bool open_member(PackedMember& member, std::vector<std::string> names, ScannedFile& file, Budget& budget);
  Result<binary::Blob> spool(PackedMember& member, std::string bytes, Budget& budget);
  void nested(binary::Blob blob, const std::string& name, std::vector<std::string> member, ScannedFile& file,
              Budget& budget);
  /// Called with the bytes that were decompressed; returns whether more may be.
  using Spend = std::function<bool(std::uint64_t)>;
  /// Scans what `fill` writes into its target, which stops it when no more may be decompressed.
  StreamResult stream(HitLocations& locations, const Spend& spend,
                      const std::function<Result<void>(binary::Target&)>& fill);
  StreamResult stream(const PackedStream& packed, const Spend& spend);
  /// The error is the stream's, or reports too many hits.
  static Result<void> add_stream(StreamResult&& result, const HitLocations& locations, ScannedFile& file);
  /// Called after the hits of a stream were added, from index `known` on; returns whether to continue.
  using StreamDone = std::function<bool(std::size_t index, std::size_t known, const Result<void>& outcome)>;
  /// Scans streams and adds their hits, in order.
  void streams(const std::vector<PackedStream>& packed, ScannedFile& file, Budget& budget,
               const StreamDone& done);

  const ScanOptions& options_;
  Crew* crew_;
  ContentScan content_;
  binary::Inflater inflater_;
};

/// The payload of a self-extracting file.
struct Payload {
  std::uint64_t offset = 0; ///< of its first byte in the file
  binary::Blob bytes;       ///< for the decoder
  Sniffed sniffed;          ///< packed or closed
};

/// Looks only where a program ends, so that bytes that happen to look like an archive are not taken for one:
/// a zip is found by the record at its end, after anything; other formats at the beginning of a line of a
/// script, however long that is, or after the last byte that an ELF file's own tables cover. A script that
/// continues in binary, a zip64 with a wrong record, and a program packed by UPX are closed.
std::optional<Payload> payload_of(const ScanItem& item);

} // namespace hostpin::leak
