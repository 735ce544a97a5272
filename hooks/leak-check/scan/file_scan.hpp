// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/bytes/blob.hpp"
#include "hooks/leak-check/bytes/sniff.hpp"
#include "hooks/leak-check/content/content.hpp"
#include "hooks/leak-check/elf/facts.hpp"
#include "hooks/leak-check/packed/budget.hpp"
#include "hooks/leak-check/packed/inflate.hpp"
#include "hooks/leak-check/packed/unpack.hpp"
#include "hooks/leak-check/scan/scan.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hostpin {

/// Something that is a file, on disk or in another one, between its parts of work.
struct Subject {
  Blob blob;
  std::vector<std::string> member; ///< empty for a file on disk
  Sniffed sniffed;
  ScannedPart part;
  std::unique_ptr<ElfFrame> frame; ///< of an ELF file; stays where it is
  std::unique_ptr<Places> places = nullptr;
};

/// What is known of some of a subject's content.
struct Gleaned {
  explicit Gleaned(std::size_t most_kinds) : hits(most_kinds) {}

  HitCollector hits;
  LinkedIn linked_in;
};

inline void tell_unseen(ScannedFile& file, const std::vector<std::string>& member, const std::string& section,
                        std::string reason) {
  file.unseen.push_back({{file.path, member, section, std::nullopt}, std::move(reason)});
}

/// What stands unpacked in something packed is seen twice, and its member says more: of the hits before
/// `known` drops those of the packed thing itself where one behind is of the same needle.
template <typename IsOwn>
void drop_told_again(std::vector<FoundNeedle>& found, std::size_t known, const IsOwn& is_own) {
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

  /// Only what a loader would read of it, if that is anything: of a file that another shard tells.
  static void glance(const Blob& blob, ScannedFile& file);

  /// What can be told before the content is read. `name`: for kinds that only a name tells.
  Subject begin(Blob blob, const std::string& name, std::vector<std::string> member, ScannedFile& file);
  /// What a range of the content gives.
  Result<void> content(const Subject& subject, std::uint64_t begin, std::uint64_t end, Gleaned& gleaned);
  /// The rest: tells the hits, and opens what is packed within.
  void end(Subject&& subject, Gleaned&& gleaned, ScannedFile& file, Budget& budget);

  /// Looks for needles in a symlink's target, and tells it.
  void link(const std::string& target, std::vector<std::string> member, ScannedFile& file);

private:
  static void begin_elf(Subject& subject, ScannedFile& file);
  void begin_archive(Subject& subject, ScannedFile& file) const;
  static void begin_text(Subject& subject, const std::string& name, std::string_view beginning,
                         ScannedFile& file);

  void open_elf(const Subject& subject, ScannedFile& file, Budget& budget);
  void open_section(const Subject& subject, const ElfSection& section, const CompressedSection& packed,
                    ScannedFile& file, Budget& budget);
  void open_fatbins(const Subject& subject, const ElfSection& section, ScannedFile& file, Budget& budget);
  void open_archive(const Subject& subject, ScannedFile& file, Budget& budget);
  void open_archived_elf(const Blob& blob, std::vector<std::string> names, ScannedFile& file, Budget& budget);
  void open_payload(const Subject& subject, ScannedFile& file, Budget& budget);
  void open_packed(const Subject& subject, const Blob& packed, ScannedFile& file, Budget& budget);
  bool open_member(PackedMember& member, std::vector<std::string> names, ScannedFile& file, Budget& budget);
  Result<Blob> spool(PackedMember& member, std::string bytes, Budget& budget);
  void nested(Blob blob, const std::string& name, std::vector<std::string> member, ScannedFile& file,
              Budget& budget);
  Result<void> unzstd(const Blob& packed, Target& target, Budget& budget);
  template <typename Fill>
  Result<void> stream(Places& places, ScannedFile& file, Budget& budget, const Fill& fill);

  const ScanOptions& options_;
  ContentScan content_;
  Inflater inflater_;
};

} // namespace hostpin
