// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/bytes/sniff.hpp"
#include "hooks/leak-check/content/content.hpp"
#include "hooks/leak-check/elf/facts.hpp"
#include "hooks/leak-check/packed/budget.hpp"
#include "hooks/leak-check/packed/unpack.hpp"
#include "hooks/leak-check/scan/scan.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/decompress.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hostpin {

/// A file on disk, or a member of one, that is being scanned.
struct ScanItem {
  Blob blob;
  std::vector<std::string> member; ///< empty for a file on disk
  Sniffed sniffed;
  ScannedPart part;
  std::unique_ptr<ElfFrame> frame; ///< of an ELF file; stays where it is
  std::unique_ptr<Places> places = nullptr;
};

/// What a part of an item's content gave.
struct ContentResult {
  explicit ContentResult(std::size_t most_kinds) : hits(most_kinds) {}

  HitCollector hits;
  LinkedIn linked_in;
};

inline void add_unseen(ScannedFile& file, const std::vector<std::string>& member, const std::string& section,
                       std::string reason) {
  file.unseen.push_back({{file.path, member, section, std::nullopt}, std::move(reason)});
}

/// What stands unpacked in something packed is seen twice, and its member says more: of the hits before
/// `known` drops those of the packed thing itself where one behind is of the same needle.
template <typename IsOwn>
void drop_repeated(std::vector<FoundNeedle>& found, std::size_t known, const IsOwn& is_own) {
  const auto deeper = found.begin() + static_cast<std::ptrdiff_t>(known);
  const auto again = std::remove_if(found.begin(), deeper, [&](const FoundNeedle& one) {
    return is_own(one) && std::any_of(deeper, found.end(),
                                      [&](const FoundNeedle& other) { return other.needle == one.needle; });
  });
  found.erase(again, deeper);
}

/// Scans one file after the other; for one thread.
class FileScan {
public:
  /// Keeps references to all of them.
  FileScan(const NeedleSet& needles, const ScanOptions& options);

  /// What can be told before the content is read. `name`: for kinds that only a name tells.
  ScanItem begin(Blob blob, const std::string& name, std::vector<std::string> member, ScannedFile& file);
  /// What a range of the content gives.
  Result<void> content(const ScanItem& item, std::uint64_t begin, std::uint64_t end,
                       ContentResult& content_result);
  /// The rest: tells the hits, and opens what is packed within.
  void end(ScanItem&& item, ContentResult&& content_result, ScannedFile& file, Budget& budget);

  /// Looks for needles in a symlink's target, and tells it.
  void link(const std::string& target, std::vector<std::string> member, ScannedFile& file);

private:
  static void begin_elf(ScanItem& item, ScannedFile& file);
  void begin_archive(ScanItem& item, ScannedFile& file) const;
  static void begin_text(ScanItem& item, const std::string& name, std::string_view beginning,
                         ScannedFile& file);

  void open_elf(const ScanItem& item, ScannedFile& file, Budget& budget);
  void open_section(const ScanItem& item, const ElfSection& section, const CompressedSection& packed,
                    ScannedFile& file, Budget& budget);
  void open_fatbins(const ScanItem& item, const ElfSection& section, ScannedFile& file, Budget& budget);
  void open_archive(const ScanItem& item, ScannedFile& file, Budget& budget);
  void open_archived_elf(const Blob& blob, std::vector<std::string> names, ScannedFile& file, Budget& budget);
  void open_payload(const ScanItem& item, ScannedFile& file, Budget& budget);
  void open_packed(const ScanItem& item, const Blob& packed, ScannedFile& file, Budget& budget);
  bool open_member(PackedMember& member, std::vector<std::string> names, ScannedFile& file, Budget& budget);
  Result<Blob> spool(PackedMember& member, std::string bytes, Budget& budget);
  void nested(Blob blob, const std::string& name, std::vector<std::string> member, ScannedFile& file,
              Budget& budget);
  /// Scans what `fill` writes into its target, which wants no more when the budget is spent.
  Result<void> stream(Places& places, ScannedFile& file, Budget& budget,
                      const std::function<Result<void>(Target&)>& fill);

  const ScanOptions& options_;
  ContentScan content_;
  Inflater inflater_;
};

/// What a file that extracts itself carries behind its program.
struct Payload {
  std::uint64_t offset = 0; ///< where it begins in the file
  Blob bytes;               ///< for whoever unpacks it
  Sniffed sniffed;          ///< packed or closed
};

/// Looks where a program ends and nowhere else, so that bytes which happen to look like an archive are not
/// taken for one: a zip by the record at its end, behind anything; something packed at the beginning of a
/// line of a script, however long that is, or behind the last byte that an ELF file's own tables tell of. A
/// script that goes on in binary, a zip64 whose record does not fit, and a program packed by UPX are closed
/// ones.
std::optional<Payload> payload_of(const ScanItem& item);

} // namespace hostpin
